package klatency

import (
	"errors"
	"slices"
	"testing"
	"time"

	"worstcase/internal/remedy"
	"worstcase/rtsched"
)

// lastCPU is where the tests measure.
func lastCPU(tb testing.TB) int {
	tb.Helper()
	cpus, err := rtsched.AllowedCPUs()
	if err != nil {
		tb.Fatal(err)
	}
	return slices.Max(cpus)
}

// skipUnavailable skips a test of what this machine can't do.
func skipUnavailable(tb testing.TB, err error) {
	tb.Helper()
	if errors.Is(err, remedy.ErrUnavailable) {
		tb.Skipf("%v: %v", remedy.ErrUnavailable, err)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// figures are minimum, median and mean.
func figures(values []int64) [3]int64 {
	slices.Sort(values)
	var sum int64
	for _, v := range values {
		sum += v
	}
	return [3]int64{values[0], values[len(values)/2], sum / int64(len(values))}
}

func TestStagesAddUp(t *testing.T) {
	g := start(t, lastCPU(t), 95, 500*time.Microsecond)
	tracer := traced(t, g, true)
	defer tracer.Close()
	lates := g.run(t, 2*time.Second)

	var handler, kernel, user, unknown []int64
	wrong, strangers := 0, 0
	var d Division
	err := tracer.Drain(func(w *Wakeup) {
		late, ok := lates[w.Due]
		if !ok {
			strangers++
			return
		}
		w.Divide(g.tid(), w.Due+late, false, &d)
		if d.Total() != late {
			wrong++
		}
		unknown = append(unknown, d.Durations[Unknown])
		if w.Fired == 0 || w.In == 0 {
			return // woken by a signal
		}
		handler, kernel, user = append(handler, w.Fired-w.Due), append(kernel, w.In-w.Due), append(user, late)
	})
	if err != nil {
		t.Fatal(err)
	}
	if tracer.Torn() > 0 {
		t.Errorf("%d torn records", tracer.Torn())
	}
	t.Logf("%d of %d wake-ups, %d don't add up", len(handler), len(lates), wrong)
	if strangers*1000 > len(lates) {
		t.Errorf("%d wake-ups with due times that the thread doesn't know", strangers)
	}
	if len(unknown)*1000 < len(lates)*999 || wrong*1000 > len(lates) {
		t.Errorf("%d of %d wake-ups were taken apart, %d of them don't add up", len(unknown), len(lates), wrong)
	}
	if m := figures(unknown)[1]; m >= 200 {
		t.Errorf("median of unknown is %d ns", m)
	}
	h, k, u := figures(handler), figures(kernel), figures(user)
	t.Logf("min, median, mean in ns: handler %d, switched in %d, user %d", h, k, u)
	for i := range h {
		if h[i] < 0 || h[i] > k[i] || k[i] > u[i] {
			t.Errorf("min, median, mean in ns: handler %d, switched in %d, user %d: not in order", h, k, u)
		}
	}
}

// A full ring drops wake-ups, but not their count, sum and extremes: with what
// it kept they make up all that another tracer has seen at the same time.
func TestFullRing(t *testing.T) {
	g := start(t, lastCPU(t), 95, 500*time.Microsecond)
	long := traced(t, g, false)
	defer long.Close()
	short, err := trace([]Traced{g.thread()}, false, 1<<12)
	skipUnavailable(t, err)
	defer short.Close()
	g.run(t, time.Second)
	all, allUnseen := drainAll(t, long)
	kept, keptUnseen := drainAll(t, short)
	dropped, err := short.Dropped(0)
	if err != nil {
		t.Fatal(err)
	}
	if kept == 0 || dropped.Count == 0 {
		t.Fatalf("kept %d, dropped %d: want some of each", kept, dropped.Count)
	}
	if kept+dropped.Count != all || keptUnseen+dropped.Unseen != allUnseen {
		t.Errorf("kept %d and %d unseen, dropped %d and %d, of %d and %d", kept, keptUnseen, dropped.Count, dropped.Unseen, all, allUnseen)
	}
	for name, f := range map[string]DroppedFigures{"handler": dropped.Handler, "kernel": dropped.Kernel} {
		mean := f.Sum / dropped.Count
		if f.Min <= 0 || f.Min > mean || mean > f.Max {
			t.Errorf("%s: min %d mean %d max %d", name, f.Min, mean, f.Max)
		}
	}
}

// drainAll counts a tracer's wake-ups, those apart that lack their handler or
// their switch.
func drainAll(t *testing.T, tracer *Tracer) (seen, unseen int64) {
	t.Helper()
	err := tracer.Drain(func(w *Wakeup) {
		if w.Fired != 0 && w.In != 0 {
			seen++
		} else {
			unseen++
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen, unseen
}
