package foreign

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTimerlat(t *testing.T) {
	text, err := os.ReadFile("../importer/testdata/ftrace-timerlat-raw.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got []TimerlatSample
	for line := range strings.Lines(string(text)) {
		if s, ok := ParseTimerlat([]byte(strings.TrimSuffix(line, "\n"))); ok {
			got = append(got, s)
		}
	}
	want := []TimerlatSample{
		{1, 225569957000, 293, "irq", 855383},
		{1, 225570051000, 293, "thread", 955657},
		{1, 225570114000, 294, "irq", 18940},
		{1, 225570139000, 294, "thread", 44589},
		{0, 225570653000, 405, "irq", 1335689},
		{0, 225570726000, 405, "thread", 1411990},
		{1, 225571370000, 295, "irq", 272166},
		{0, 225571424000, 406, "irq", 108181},
		{0, 225571488000, 406, "thread", 173637},
		{1, 225571876000, 295, "thread", 779725},
		{1, 225572135000, 296, "irq", 38608},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
}

func TestParseTimerlatLines(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       TimerlatSample
		ok         bool
	}{
		{
			"back from user space", "  timerlatu/0-155 [000] ....1     8.097999: #7     context user-ret timer_latency     16296 ns",
			TimerlatSample{0, 8097999000, 7, "user", 16296},
			true,
		},
		{
			"a task with a bracket, which looks like a CPU", "  a [x] b: #3-155 [002] d.h.1     8.000001: #7     context    irq timer_latency     9 ns",
			TimerlatSample{},
			false,
		},
		{
			"a task with a bracket", "  a [x] b-155 [002] d.h.1     8.000001: #7     context    irq timer_latency     9 ns",
			TimerlatSample{2, 8000001000, 7, "irq", 9},
			true,
		},
		{"a stack", "           <...>-99      [000] ....1..     8.217524: <stack trace>", TimerlatSample{}, false},
		{"nothing", "", TimerlatSample{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := ParseTimerlat([]byte(test.line))
			if ok != test.ok || ok && !cmp.Equal(got, test.want) {
				t.Errorf("%+v, %t", got, ok)
			}
		})
	}
}

func FuzzParseTimerlat(f *testing.F) {
	f.Fuzz(func(t *testing.T, line []byte) {
		if s, ok := ParseTimerlat(line); ok && (s.CPU < 0 || s.At < 0 || s.Number < 0) {
			t.Errorf("%q: %+v", line, s)
		}
	})
}
