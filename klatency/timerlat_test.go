package klatency

import (
	"errors"
	"strings"
	"testing"
	"time"

	"worstcase/internal/remedy"
)

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
			s := NewTimerlat(TimerlatConfig{Contexts: []string{ContextThread}, Period: test.period, CPUs: []int{0}, Priority: 95}, func(w string) { t.Log(w) })
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
