package latency

import (
	"context"
	"encoding/json"
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
	if len(os.Args) > 2 && os.Args[1] == "measure" {
		measureForParent(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

// A job is what a test gives to another process to measure.
type job struct {
	Config   Config
	Duration time.Duration
}

// measureForParent is this test binary as a measuring process of its own, which
// tests stop and kill: it prints "ready PID-OF-CHILD" when the measured time has
// begun, and the end of the run.
func measureForParent(text string) {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		panic(err)
	}
	src := NewSource(j.Config, func(string) {})
	out := json.NewEncoder(os.Stdout)
	first := true
	sink := sinkFunc(func(rec results.Record) error {
		if _, ok := rec.(*results.Interval); ok && first {
			first = false
			return out.Encode(map[string]int{"child": src.child.Pid()})
		}
		return nil
	})
	end, err := session.Run(context.Background(), session.Config{
		Duration: j.Duration, Period: j.Config.Period, Sinks: []results.Sink{sink},
	}, src)
	if err != nil {
		out.Encode(map[string]string{"error": err.Error()})
		return
	}
	out.Encode(end)
}

type sinkFunc func(results.Record) error

func (f sinkFunc) Put(rec results.Record) error { return f(rec) }

// A script is the records of a run, for a test to look at.
type script struct {
	intervals []results.Interval
	onSecond  func(second int)
	raw       *results.RawWriter
}

func (s *script) Put(rec results.Record) error {
	if iv, ok := rec.(*results.Interval); ok {
		own := *iv
		own.Histogram = iv.Histogram.Clone()
		s.intervals = append(s.intervals, own)
		if s.onSecond != nil {
			s.onSecond(len(s.intervals))
		}
	}
	return nil
}

// measure makes a run in this process and fails the test when it can't.
func measure(t *testing.T, cfg Config, duration time.Duration, s *script) *results.End {
	t.Helper()
	end, err := tryMeasure(t, cfg, duration, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func tryMeasure(t *testing.T, cfg Config, duration time.Duration, s *script, opened func(*Source)) (*results.End, error) {
	t.Helper()
	cfg, err := cfg.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	src := NewSource(cfg, func(text string) { t.Log(text) })
	return session.Run(ctx, session.Config{
		Duration: duration, WarmUp: 200 * time.Millisecond, Period: cfg.Period, Sinks: []results.Sink{s}, Raw: s.raw,
	}, &watched{src, opened})
}

// watched tells a test when the threads are ready.
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

// TestDeadlineThreadsAreNotBound: the kernel refuses SCHED_DEADLINE to a thread
// that must stay on one CPU.
func TestDeadlineThreadsAreNotBound(t *testing.T) {
	cfg, err := Config{Policy: rtsched.Deadline}.WithDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.thread(0).CPU; got >= 0 {
		t.Errorf("the thread is bound to cpu %d", got)
	}
	if got := cfg.Record()["cpus"]; got != "any" {
		t.Errorf("recorded cpus %v", got)
	}
	if got := NewSource(cfg, nil).Series(); len(got) != 1 || got[0].Labels["cpu"] != "" {
		t.Errorf("series %+v", got)
	}
	cfg, err = Config{Policy: rtsched.Deadline, CPUs: []int{0}}.WithDefaults()
	if err != nil || cfg.thread(0).CPU != 0 {
		t.Errorf("asked for cpu 0: %+v, error %v", cfg, err)
	}
}
