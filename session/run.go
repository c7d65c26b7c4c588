package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"syscall"
	"time"

	"worstcase/host"
	"worstcase/internal/sys"
	"worstcase/results"
)

// The cadence of a session: draining more often costs CPU time for nothing,
// and the warm-up ends the first faults and cache misses.
const (
	drainEvery = 250 * time.Millisecond
	lead       = 5 * time.Millisecond
	// DefaultWarmUp is what the measuring tools use, one second as Xenomai's.
	DefaultWarmUp = time.Second
)

// ErrBreak is what a Source's Drain returns when it ended at the first sample
// above the break value.
var ErrBreak = errors.New("a sample was above the break value")

// A Config says how to make a run of a Source.
type Config struct {
	// Header with the tool, the label and the tool's configuration. The session
	// fills in the rest.
	Header results.Header
	// Duration of the measured time; 0: until the context or the source ends.
	Duration time.Duration
	// WarmUp comes before the measured time and is in no figure.
	WarmUp time.Duration
	// Period of the samples, 0 where they have none.
	Period time.Duration
	// Sinks take the run's records as they happen.
	Sinks []results.Sink
	// Raw, when not nil, takes every measured sample.
	Raw *results.RawWriter
	// Limits that the totals are held against.
	Limits results.Limits
	// Loads run while the source measures.
	Loads []Load
	// Host is where the facts of the machine are read.
	Host host.Reader
	// Report asks for the totals so far, as a Checkpoint to the sinks.
	Report <-chan struct{}
	// Warn takes what the user must know at once, a line each.
	Warn func(string)
}

// A run is a session under way.
type run struct {
	Config
	source   Source
	recorder *Recorder
	before   *host.Snapshot
	opened   bool
	loads    int // how many have been started
	start    int64
	end      results.End
	closed   bool // a sink's reader is gone
	gone     []bool
	failed   []bool // sinks whose failure has been told
	sinkErr  error
}

// Run makes one run: it starts the source and the load, hands the records to
// the sinks, and returns the End that they got. The context's end is an
// ordinary end of the run. The error says that measuring failed, or that a sink
// could not keep what was measured; the End is valid beside it, and nil only
// when the measurement never began.
func Run(ctx context.Context, cfg Config, src Source) (*results.End, error) {
	r := &run{Config: cfg, source: src, gone: make([]bool, len(cfg.Sinks)), failed: make([]bool, len(cfg.Sinks))}
	if r.Warn == nil {
		r.Warn = func(string) {}
	}
	if err := r.begin(ctx); err != nil {
		r.stopLoads()
		if r.opened {
			src.Close()
		}
		return nil, err
	}
	err := r.measure(ctx)
	err = errors.Join(err, r.finish(err))
	return &r.end, errors.Join(err, r.sinkErr)
}

// begin opens everything and lets the source start.
func (r *run) begin(ctx context.Context) error {
	r.Header.Schema = results.Schema
	r.Header.Host = r.Host.Facts()
	if r.Header.Label == "" {
		r.Header.Label = r.Header.Host["kernel.release"]
	}
	if err := r.source.Open(ctx); err != nil {
		return err
	}
	r.opened = true
	for _, l := range r.Loads {
		r.loads++
		if err := l.Start(ctx); err != nil {
			return fmt.Errorf("start load %s: %w", l.Name(), err)
		}
	}
	r.before = r.Host.Snapshot()
	first := sys.Nanotime() + int64(lead)
	r.start = first + int64(r.WarmUp)
	r.Header.Started, r.Header.T0, r.Header.Series = time.Now(), r.start, r.source.Series()
	r.recorder = NewRecorder(len(r.Header.Series), r.start, r.Period, r.put)
	if r.Raw != nil {
		r.recorder.raw = r.Raw.Sample
	}
	if r.Duration > 0 {
		r.recorder.SetEnd(r.start + int64(r.Duration))
	}
	r.put(&r.Header)
	return r.source.Start(first, r.start)
}

// put hands a record to every sink. A sink whose reader is gone ends the run; one
// that fails otherwise still gets what follows, and the run goes on.
func (r *run) put(rec results.Record) {
	for i, s := range r.Sinks {
		if r.gone[i] {
			continue
		}
		err := s.Put(rec)
		switch {
		case err == nil:
		case errors.Is(err, syscall.EPIPE):
			r.gone[i], r.closed = true, true
		case !r.failed[i]:
			r.failed[i] = true
			r.sinkErr = errors.Join(r.sinkErr, err)
			r.Warn(err.Error())
		}
	}
}

// measure drains the source until the run ends, and gives the reason.
func (r *run) measure(ctx context.Context) error {
	tick := time.NewTicker(drainEvery)
	defer tick.Stop()
	for nextRate := r.start + second; ; {
		var report bool
		select {
		case <-ctx.Done():
			r.endAt("signal", sys.Nanotime())
			return nil
		case _, report = <-r.Report:
		case <-tick.C:
		}
		if err := r.source.Drain(r.recorder); err != nil {
			return r.ended(err)
		}
		now := sys.Nanotime()
		if now >= nextRate {
			r.rates(nextRate)
			nextRate += second
		}
		if report {
			r.put(&results.Checkpoint{At: max(0, now-r.start), Series: r.recorder.Totals(r.Header.Series)})
		}
		switch {
		case r.closed:
			r.endAt("closed", now)
			return nil
		case now >= r.recorder.end:
			r.end.Reason = "duration"
			return nil
		case r.loadBroken():
			r.endAt("error", now)
			return nil // stopping the load returns the error
		}
	}
}

// ended turns what a source said at its end into the reason of the run's.
func (r *run) ended(err error) error {
	at := r.recorder.Last() + int64(r.Period)
	switch {
	case errors.Is(err, io.EOF):
		r.endAt("complete", at)
		return nil
	case errors.Is(err, ErrBreak):
		r.endAt("break", at)
		return nil
	}
	r.endAt("error", at)
	return err
}

// endAt ends the measured time early.
func (r *run) endAt(reason string, at int64) {
	r.end.Reason = reason
	r.recorder.SetEnd(min(at, r.recorder.end))
}

// loadBroken tells whether a load no longer runs as it should.
func (r *run) loadBroken() bool {
	return slices.ContainsFunc(r.Loads, func(l Load) bool { return l.Err() != nil })
}

// rates records what the loads have achieved in the second that ended at.
func (r *run) rates(at int64) {
	kinds := map[string]results.Rate{}
	for _, l := range r.Loads {
		maps.Copy(kinds, l.Rates())
	}
	if len(kinds) > 0 && at <= r.recorder.end {
		r.put(&results.Load{At: at - r.start, Kinds: kinds})
	}
}

// finish stops everything and hands on the last intervals and the end.
func (r *run) finish(failed error) error {
	err := r.source.Stop()
	if failed != nil {
		err = nil // the failure has already been told
	}
	if drained := r.source.Drain(r.recorder); failed == nil && err == nil && !isEnd(drained) {
		err = drained
	}
	r.recorder.Finish()
	err = errors.Join(err, r.stopLoads())
	after := r.before.Diff(r.Host.Snapshot())
	figures, closed := r.source.Close()
	maps.Copy(after, figures)
	if failed == nil {
		err = errors.Join(err, closed)
	}
	r.end.Seconds = float64(r.recorder.end-r.start) / 1e9
	r.end.Series = r.recorder.Totals(r.Header.Series)
	r.end.After = after
	r.judge(errors.Join(failed, err))
	r.put(&r.end)
	return err
}

func isEnd(err error) bool {
	return err == nil || errors.Is(err, io.EOF) || errors.Is(err, ErrBreak)
}

// judge holds the totals against the limits, and against themselves.
func (r *run) judge(failed error) {
	r.end.Gates = r.Limits.Gates(&r.end)
	r.end.Verdict = results.Judge(&r.end, r.Period, failed != nil)
	for _, c := range results.Contradictions(&r.end, r.Period) {
		r.end.Warnings = append(r.end.Warnings, "the figures contradict themselves: "+c)
	}
	if failed != nil {
		r.end.Error = failed.Error()
	}
}

// stopLoads stops those that have been started, last first.
func (r *run) stopLoads() error {
	var err error
	for ; r.loads > 0; r.loads-- {
		l := r.Loads[r.loads-1]
		if stop := l.Stop(); stop != nil {
			err = errors.Join(err, fmt.Errorf("stop load %s: %w", l.Name(), stop))
		}
	}
	return err
}
