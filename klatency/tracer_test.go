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

// A full ring drops wake-ups, but not their count, sum and extremes.
func TestFullRing(t *testing.T) {
	g := start(t, lastCPU(t), 95, 100*time.Microsecond)
	tracer, err := trace([]Traced{g.thread()}, false, 1<<12)
	skipUnavailable(t, err)
	defer tracer.Close()
	lates := g.run(t, time.Second)
	var kept int
	if err := tracer.Drain(func(*Wakeup) { kept++ }); err != nil {
		t.Fatal(err)
	}
	dropped, err := tracer.Dropped(0)
	if err != nil {
		t.Fatal(err)
	}
	if kept == 0 || dropped.Count == 0 {
		t.Fatalf("kept %d, dropped %d: want some of each", kept, dropped.Count)
	}
	// A timer that fired before the thread slept, and events that the kernel
	// hides, make a wake-up too many or too few, a few in a thousand.
	n := kept + int(dropped.Count+dropped.Unseen)
	if d := n - len(lates); max(d, -d)*1000 > len(lates)*5 {
		t.Errorf("kept %d, dropped %d and %d unseen of %d wake-ups", kept, dropped.Count, dropped.Unseen, len(lates))
	}
	for name, f := range map[string]DroppedFigures{"handler": dropped.Handler, "kernel": dropped.Kernel} {
		mean := f.Sum / dropped.Count
		if f.Min <= 0 || f.Min > mean || mean > f.Max {
			t.Errorf("%s: min %d mean %d max %d", name, f.Min, mean, f.Max)
		}
	}
}
