package switchbench

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/sampler/samplertest"
	"worstcase/session"
)

func TestMain(m *testing.M) {
	sampler.Main(Loop, samplertest.Hog)
	if len(os.Args) == 2 && os.Args[1] == leaveSemaphores {
		id, err := newSemaphores(1)
		if err != nil {
			panic(err)
		}
		fmt.Println(id)
		return
	}
	// One lock for all: else each test would wait for other packages' anew.
	release, err := rtsched.LockMachine(context.Background(), nil)
	if err != nil {
		panic(err)
	}
	code := m.Run()
	release()
	os.Exit(code)
}

// A watched source tells a test when its threads are ready, and each second.
type watched struct {
	*Source
	opened func(*Source)
}

func (w *watched) Start(first, measured int64) error {
	if w.opened != nil {
		w.opened(w.Source)
	}
	return w.Source.Start(first, measured)
}

// seconds calls f with the number of each interval's second.
type seconds struct {
	n int
	f func(int)
}

func (s *seconds) Put(rec results.Record) error {
	if _, ok := rec.(*results.Interval); ok {
		s.n++
		if s.f != nil {
			s.f(s.n)
		}
	}
	return nil
}

// tryMeasure makes a run in this process. A duration of 0 leaves its end to the
// number of samples.
func tryMeasure(t *testing.T, cfg Config, duration time.Duration, s *seconds, opened func(*Source)) (*results.End, error) {
	t.Helper()
	cfg, err := cfg.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	src := NewSource(cfg, func(text string) { t.Log(text) })
	return session.Run(ctx, session.Config{
		Duration: duration, WarmUp: 50 * time.Millisecond, Period: cfg.SamplePeriod(), Sinks: []results.Sink{s},
	}, &watched{src, opened})
}

func measure(t *testing.T, cfg Config, duration time.Duration) *results.End {
	t.Helper()
	end, err := tryMeasure(t, cfg, duration, &seconds{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// checkSums wants every period accounted for, and latencies above zero.
func checkSums(t *testing.T, end *results.End, period time.Duration) {
	t.Helper()
	samplertest.CheckPeriods(t, end, period)
	if s := end.Series[0]; s.Min <= 0 {
		t.Errorf("minimum %d ns", s.Min)
	}
}
