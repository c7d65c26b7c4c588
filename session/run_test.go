package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"worstcase/internal/sys"
	"worstcase/results"
)

// A fake source is a thread that is never late.
type fake struct {
	next    int64
	stopped int64 // when, 0 while it runs
	fail    error // after one second
	calls   []string
}

const period = 10 * time.Millisecond

func (f *fake) Series() []results.SeriesInfo { return []results.SeriesInfo{{ID: 0}} }

func (f *fake) Open(context.Context) error { return f.called("open") }

func (f *fake) Start(first, _ int64) error {
	f.next = first
	return f.called("start")
}

func (f *fake) called(name string) error {
	f.calls = append(f.calls, name)
	return nil
}

func (f *fake) Drain(r *Recorder) error {
	begin := f.next
	until := f.stopped
	if until == 0 {
		until = sys.Nanotime()
	}
	for ; f.next < until; f.next += int64(period) {
		r.Sample(0, f.next, 1000, 0)
	}
	if f.fail != nil && begin > r.start+second {
		return f.fail
	}
	return nil
}

func (f *fake) Stop() error {
	f.stopped = sys.Nanotime()
	return f.called("stop")
}

func (f *fake) Close() (results.Figures, error) {
	return results.Figures{"fake": 1}, f.called("close")
}

type sink func(results.Record) error

func (s sink) Put(rec results.Record) error { return s(rec) }

func TestRunEnds(t *testing.T) {
	broken := errors.New("the thread broke")
	tests := []struct {
		name    string
		fail    error
		cancel  time.Duration
		sink    error
		reason  string
		verdict results.Verdict
		err     error
	}{
		{"after its duration", nil, 0, nil, "duration", results.Pass, nil},
		{"by a signal", nil, 1300 * time.Millisecond, nil, "signal", results.Pass, nil},
		{"by itself", io.EOF, 0, nil, "complete", results.Pass, nil},
		{"at the break value", ErrBreak, 0, nil, "break", results.Fail, nil},
		{"in error", broken, 0, nil, "error", results.VerdictError, broken},
		{"when its reader is gone", nil, 0, syscall.EPIPE, "closed", results.Pass, nil},
		{"whole, when a sink fails", nil, 0, syscall.ENOSPC, "duration", results.Pass, syscall.ENOSPC},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tc.cancel > 0 {
				time.AfterFunc(tc.cancel, cancel)
			}
			src, run := &fake{fail: tc.fail}, &results.Run{}
			var warned []string
			warn := func(text string) { warned = append(warned, text) }
			end, err := Run(ctx, Config{Duration: 3 * time.Second, Period: period, Warn: warn, Sinks: []results.Sink{run, sink(func(rec results.Record) error {
				if _, ok := rec.(*results.Interval); ok {
					return tc.sink
				}
				return nil
			})}}, src)
			if !errors.Is(err, tc.err) {
				t.Fatalf("error %v, want %v", err, tc.err)
			}
			if end.Reason != tc.reason || end.Verdict != tc.verdict {
				t.Errorf("reason %s, verdict %s; warnings %q", end.Reason, end.Verdict, end.Warnings)
			}
			if run.End == nil || end.After["fake"] != 1 || len(run.Check(period)) > 0 {
				t.Errorf("the sinks got end %v; contradictions %q", run.End, run.Check(period))
			}
			if got := strings.Join(src.calls, " "); got != "open start stop close" {
				t.Errorf("calls %s", got)
			}
			if len(warned) > 1 || err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("told more than once: warnings %q, error %v", warned, err)
			}
		})
	}
}

// A fakeLoad tells when it was started and stopped.
type fakeLoad struct {
	source *fake
	fail   error
	broken error // while it runs, from its first rates on
	ran    bool
}

func (l *fakeLoad) Name() string { return "fake" }
func (l *fakeLoad) Start(context.Context) error {
	l.source.called("load")
	return l.fail
}

func (l *fakeLoad) Err() error {
	if l.ran {
		return l.broken
	}
	return nil
}
func (l *fakeLoad) Stop() error { return errors.Join(l.Err(), l.source.called("unload")) }
func (l *fakeLoad) Rates() map[string]results.Rate {
	l.ran = true
	return map[string]results.Rate{"fake": {Rate: 5, Unit: "x/s"}}
}

func TestLoadRunsAroundTheMeasurement(t *testing.T) {
	src, run := &fake{}, &results.Run{}
	if _, err := Run(t.Context(), Config{Duration: time.Second, Period: period, Sinks: []results.Sink{run}, Loads: []Load{&fakeLoad{source: src}}}, src); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(src.calls, " "); got != "open load start stop unload close" {
		t.Errorf("calls %s", got)
	}
	if len(run.Loads) != 1 || run.Loads[0].Kinds["fake"].Rate != 5 {
		t.Errorf("load lines %+v", run.Loads)
	}
}

func TestALoadThatFailsToStartLeavesNothing(t *testing.T) {
	src, broken := &fake{}, errors.New("no room")
	end, err := Run(t.Context(), Config{Duration: time.Second, Loads: []Load{&fakeLoad{source: src, fail: broken}}}, src)
	if end != nil || !errors.Is(err, broken) {
		t.Errorf("end %v, error %v", end, err)
	}
	if got := strings.Join(src.calls, " "); got != "open load unload close" {
		t.Errorf("calls %s", got)
	}
}

func TestALoadThatBreaksEndsTheRun(t *testing.T) {
	src, run, broken := &fake{}, &results.Run{}, errors.New("a worker was killed")
	cfg := Config{Duration: time.Hour, Period: period, Sinks: []results.Sink{run}, Loads: []Load{&fakeLoad{source: src, broken: broken}}}
	end, err := Run(t.Context(), cfg, src)
	if !errors.Is(err, broken) || strings.Count(err.Error(), broken.Error()) != 1 {
		t.Errorf("error %v, want %q once", err, broken)
	}
	if end.Reason != "error" || end.Verdict != results.VerdictError || end.Series[0].Count == 0 || len(run.Check(period)) > 0 {
		t.Errorf("end %+v; contradictions %q", end, run.Check(period))
	}
	if got := strings.Join(src.calls, " "); got != "open load start stop unload close" {
		t.Errorf("calls %s", got)
	}
}
