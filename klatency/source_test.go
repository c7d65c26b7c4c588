package klatency

import (
	"context"
	"strconv"
	"testing"
	"time"

	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/sampler"
	"worstcase/session"
)

// A view shows one target to a source; all views of it get each sample.
type view struct {
	*target
	all     *[]*view
	pending [][]int64
	watch   func(series int, due, late, missed int64)
}

func (v *view) Open(context.Context) error      { return nil }
func (v *view) Threads() []sampler.ThreadInfo   { return v.target.Threads }
func (v *view) Dates(int64) []int64             { return []int64{v.first} }
func (v *view) Start(int64, int64) error        { return nil }
func (v *view) Stop() error                     { return nil }
func (v *view) Close() (results.Figures, error) { return nil, nil }

func (v *view) Series() []results.SeriesInfo {
	return []results.SeriesInfo{{Labels: results.Labels{"cpu": strconv.Itoa(v.cpu)}}}
}

func (v *view) Watch(f func(series int, due, late, missed int64)) { v.watch = f }

func (v *view) Drain(rec *session.Recorder) error {
	v.Rings[0].Rows(func(row []int64) {
		for _, other := range *v.all {
			other.pending = append(other.pending, []int64{row[0], row[1], row[2]})
		}
	})
	for _, row := range v.pending {
		v.watch(0, row[0], row[1], row[2])
		rec.Sample(0, row[0], row[1], row[2])
	}
	v.pending = nil
	return nil
}

// The three modes, on the same wake-ups: the handler comes before the thread,
// and the thread in the kernel before its sample.
func TestModesInOrder(t *testing.T) {
	g := start(t, lastCPU(t), 95, 500*time.Microsecond)
	var views []*view
	var sources []*Source
	var recorders []*session.Recorder
	for _, mode := range []string{results.ModeHandler, results.ModeKernel, results.ModeUser} {
		v := &view{target: g, all: &views}
		views = append(views, v)
		src := NewSource(v, Config{Mode: mode, Period: time.Duration(g.period), Stages: true, Spikes: 3})
		skipUnavailable(t, src.Open(t.Context()))
		t.Cleanup(func() { src.Close() })
		sources = append(sources, src)
	}
	g.first = sys.Nanotime() + 50e6
	for _, src := range sources {
		recorders = append(recorders, session.NewRecorder(1, g.first, time.Duration(g.period), func(results.Record) {}))
		if err := src.Start(g.first, g.first); err != nil {
			t.Fatal(err)
		}
	}
	g.Go(g.first, g.first)
	drain := func() {
		for i, src := range sources {
			if err := src.Drain(recorders[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	for until := g.first + 2e9; sys.Nanotime() < until; time.Sleep(50 * time.Millisecond) {
		if err := g.Beat(); err != nil {
			t.Fatal(err)
		}
		drain()
	}
	if err := g.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, src := range sources {
		src.Stop()
	}
	drain()

	var last [3]int64
	wakeups := recorders[2].Totals(sources[2].Series())[0].Count
	for i, src := range sources {
		total := recorders[i].Totals(src.Series())[0]
		now := [3]int64{total.Min, total.Histogram.Quantile(0.5), int64(total.Mean())}
		t.Logf("%s: min, median, mean in ns %d, %d samples, %d lost", src.cfg.Mode, now, total.Count, total.Lost)
		for j := range now {
			if now[j] <= last[j] {
				t.Errorf("%s: min, median, mean in ns %d, not above %d", src.cfg.Mode, now, last)
			}
		}
		last = now
		if total.Count+total.Lost != wakeups || total.Lost*100 > total.Count {
			t.Errorf("%s: %d of %d wake-ups seen, %d not", src.cfg.Mode, total.Count, wakeups, total.Lost)
		}
		var stages float64
		account := &src.Accounts()[0]
		for s := range Stages {
			stages += account.Figure(s).Mean
		}
		if spikes := src.Spikes(); len(spikes) != 3 || spikes[0].Latency != total.Max {
			t.Errorf("%s: spikes %v, maximum %d", src.cfg.Mode, spikes, total.Max)
		}
		// The threads' own samples include those whose wake-up was not seen.
		if d := stages - total.Mean(); src.cfg.Mode != results.ModeUser && (d < -1 || d > 1 || account.Count != total.Count) {
			t.Errorf("%s: stages of %d wake-ups add up to %.0f ns, the mean of %d is %.0f", src.cfg.Mode, account.Count, stages, total.Count, total.Mean())
		}
	}
}
