package klatency

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseOsnoise(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       osnoiseEvent
		ok         bool
	}{
		{
			"an interrupt", "     osnoise/1-970     [001] d.h..   225.569957: irq_noise: local_timer:236 start 225.569950123 duration 4050 ns",
			osnoiseEvent{cpu: 1, name: "irq_noise", what: "local_timer", id: 236, start: 225569952950, duration: 4050},
			true,
		},
		{
			"a thread with a bracket, which looks like a CPU", "     osnoise/0-970     [000] d....   225.5: thread_noise: a [x] b:7 start 1.000000001 duration 9 ns",
			osnoiseEvent{},
			false,
		},
		{
			"a thread with a colon", "     osnoise/0-970     [000] d....   225.5: thread_noise: kworker/0:1:77 start 1.000000001 duration 9 ns",
			osnoiseEvent{cpu: 0, name: "thread_noise", what: "kworker/0:1", id: 77, start: 225499999991, duration: 9},
			true,
		},
		{
			"a gap", "     osnoise/1-970     [001] .....   225.570051: sample_threshold: start 77.570040000 duration 9812 ns interference 2",
			osnoiseEvent{cpu: 1, name: "sample_threshold", start: 225570041188, duration: 9812, interferences: 2},
			true,
		},
		{"a second's summary", "     osnoise/0-970     [000] .....    81.637220: 1000000      190  99.98100       9     18      0      1007     18      1", osnoiseEvent{}, false},
		{"nothing", "", osnoiseEvent{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := parseOsnoise(test.line)
			if ok != test.ok {
				t.Fatalf("ok %t, want %t: %+v", ok, test.ok, got)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(osnoiseEvent{})); ok && diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func FuzzParseOsnoise(f *testing.F) {
	f.Fuzz(func(t *testing.T, line string) {
		if e, ok := parseOsnoise(line); ok && (e.cpu < 0 || e.start < 0 || e.duration < 0) {
			t.Errorf("%q: %+v", line, e)
		}
	})
}
