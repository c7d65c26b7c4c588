package klatency

import (
	"context"
	"sync"
	"testing"
	"time"

	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/sampler"
)

func TestMain(m *testing.M) {
	sampler.Main(periodic, hogging, NoiseLoop)
	m.Run()
}

// periodic is a child's loop that sleeps each period and puts when it woke.
var periodic = sampler.Loop{
	Name:    "periodic",
	Columns: []string{"due", "late", "missed"},
	New: func(t *sampler.Thread) (sampler.Body, error) {
		var period int64
		if err := t.Args(&period); err != nil {
			return nil, err
		}
		return func(first int64) error {
			w, due, err := rtsched.Arm(rtsched.Nanosleep, first, period)
			if err != nil {
				return err
			}
			defer w.Close()
			var row [3]int64
			for !t.Stopped() {
				now, missed := w.Wait(due)
				row[0], row[1], row[2] = due, now-due, missed
				t.Put(row[:])
				due += (1 + missed) * period
			}
			return nil
		}, nil
	},
}

// target is a running child whose one thread is traced.
type target struct {
	*sampler.Child
	cpu    int
	period int64
	first  int64
	close  func()
}

// start makes a child with a thread of the given priority that waits for run.
func start(tb testing.TB, cpu, priority int, period time.Duration) *target {
	tb.Helper()
	child, err := sampler.Start(context.Background(), sampler.Config{
		Loop: periodic.Name, Columns: len(periodic.Columns), Args: int64(period), Period: period,
		Threads: []rtsched.Thread{{Name: "measured", CPU: cpu, Priority: priority}},
	}, func(holder string) { tb.Log("waiting for", holder) })
	if err != nil {
		tb.Fatal(err)
	}
	g := &target{Child: child, cpu: cpu, period: int64(period), first: sys.Nanotime() + 500e6}
	g.close = sync.OnceFunc(child.Close)
	tb.Cleanup(g.close)
	return g
}

func (g *target) tid() int { return g.Threads[0].TID }

func (g *target) thread() Traced {
	return Traced{TID: g.tid(), CPU: g.cpu, First: g.first, Period: g.period}
}

// run measures for d and returns how late each due time was.
func (g *target) run(tb testing.TB, d time.Duration) map[int64]int64 {
	tb.Helper()
	return g.runUntil(tb, func() bool { return sys.Nanotime() >= g.first+int64(d) })
}

// runUntil measures until done, as long at most as a tracer's ring holds.
func (g *target) runUntil(tb testing.TB, done func() bool) map[int64]int64 {
	tb.Helper()
	lates := map[int64]int64{}
	g.Go(g.first, g.first)
	for ; !done(); time.Sleep(50 * time.Millisecond) {
		if sys.Nanotime() > g.first+int64(buffered) {
			tb.Fatalf("not done after %s", buffered)
		}
		if err := g.Beat(); err != nil {
			tb.Fatal(err)
		}
		g.rows(lates)
	}
	if err := g.Stop(); err != nil {
		tb.Fatal(err)
	}
	g.rows(lates)
	return lates
}

func (g *target) rows(into map[int64]int64) {
	g.Rings[0].Rows(func(row []int64) { into[row[0]] = row[1] })
}

// traced traces g until the test ends or the tracer is closed.
func traced(tb testing.TB, g *target, stages bool) *Tracer {
	tb.Helper()
	t, err := Trace([]Traced{g.thread()}, stages)
	skipUnavailable(tb, err)
	return t
}
