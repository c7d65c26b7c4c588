package klatency

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/internal/remedy"
	"worstcase/results"
)

func TestParseTimerlat(t *testing.T) {
	text, err := os.ReadFile("testdata/timerlat.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got []timerlatSample
	for line := range strings.Lines(string(text)) {
		if s, ok := parseTimerlat(strings.TrimSuffix(line, "\n")); ok {
			got = append(got, s)
		}
	}
	want := []timerlatSample{
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
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(timerlatSample{})); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
}

func FuzzParseTimerlat(f *testing.F) {
	f.Fuzz(func(t *testing.T, line string) {
		if s, ok := parseTimerlat(line); ok && (s.cpu < 0 || s.at < 0) {
			t.Errorf("%q: %+v", line, s)
		}
	})
}

// Where the tracer isn't there, or can't, the error names the other back-end.
func TestTimerlatUnavailable(t *testing.T) {
	for _, test := range []struct {
		name   string
		period time.Duration
	}{
		{"a short period", 50 * time.Microsecond},
		{"this kernel", time.Millisecond},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := NewTimerlat(TimerlatConfig{Mode: results.ModeKernel, Period: test.period, CPUs: []int{0}, Priority: 95}, func(w string) { t.Log(w) })
			err := s.Open(t.Context())
			if err == nil {
				s.Close()
				return // this kernel has it; the guests' tests measure with it
			}
			if !errors.Is(err, remedy.ErrUnavailable) || !strings.Contains(remedy.Of(err), "--backend ebpf") && !strings.Contains(remedy.Of(err), "root") {
				t.Errorf("%v: %s", err, remedy.Of(err))
			}
		})
	}
}
