package klatency

import (
	"slices"
	"testing"
	"time"

	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/session"
)

// A pair is what both instruments say of one expiry, in ns.
type pair struct {
	timerlat, ebpf int64
}

// eBPF follows timerlat's own timer and thread: both tell the same of every
// expiry, to the handler and to the thread.
func TestTimerlatWakeups(t *testing.T) {
	const period, length = time.Millisecond, 3 * time.Second
	cpu := lastCPU(t)
	s := NewTimerlat(TimerlatConfig{Contexts: []string{ContextIRQ, ContextThread}, CPUs: []int{cpu}, Period: period, Priority: 95}, func(w string) { t.Log(w) })
	skipUnavailable(t, s.Open(t.Context()))
	defer s.Close()
	tracer, err := Trace([]Traced{{TID: s.Threads()[0].TID, CPU: cpu, Period: int64(period)}}, true)
	skipUnavailable(t, err)
	defer tracer.Close()

	var seen [2][]row // of irq and thread
	s.Watch(func(series int, due, late, _ int64) { seen[series] = append(seen[series], row{due: due, late: late}) })
	type wakeup struct{ due, fired, in int64 }
	var wakeups []wakeup
	begin := sys.Nanotime() + 100e6
	rec := session.NewRecorder(2, begin, period, func(results.Record) {})
	if err := s.Start(begin, begin); err != nil {
		t.Fatal(err)
	}
	drain := func() {
		if err := s.Drain(rec); err != nil {
			t.Fatal(err)
		}
		if err := tracer.Drain(func(w *Wakeup) { wakeups = append(wakeups, wakeup{w.Due, w.Fired, w.In}) }); err != nil {
			t.Fatal(err)
		}
	}
	for sys.Nanotime() < begin+int64(length) {
		time.Sleep(100 * time.Millisecond)
		drain()
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	drain()

	for series, name := range []string{"handler", "thread"} {
		var pairs []pair
		next, unmatched := 0, 0
		for _, r := range seen[series] {
			for next < len(wakeups) && wakeups[next].due < r.due-2000 {
				next++
			}
			// The text of the trace tells the due time to a microsecond.
			if next == len(wakeups) || wakeups[next].due > r.due+2000 {
				if len(pairs) > 0 && r.due < wakeups[len(wakeups)-1].due {
					unmatched++
				}
				continue
			}
			end := wakeups[next].fired
			if series == 1 {
				end = wakeups[next].in
			}
			if end == 0 { // that event was not seen
				unmatched++
				continue
			}
			pairs = append(pairs, pair{r.late, end - wakeups[next].due})
		}
		compare(t, name, pairs, unmatched, int(length/period))
	}
}

// compare asserts that the medians agree within a tenth or 2 us, and so do 99 of
// 100 pairs: an interrupt may come between eBPF's event and timerlat's reading.
func compare(t *testing.T, name string, pairs []pair, unmatched, want int) {
	t.Helper()
	if len(pairs) < want*99/100 || unmatched*100 > len(pairs) {
		t.Fatalf("%s: %d expiries seen by both, %d by timerlat alone, of %d", name, len(pairs), unmatched, want)
	}
	far := func(a, b int64) bool { d := max(a-b, b-a); return d > 2000 && d*10 > a }
	apart := 0
	var timerlat, ebpf, difference []int64
	for _, p := range pairs {
		if far(p.timerlat, p.ebpf) {
			apart++
		}
		timerlat, ebpf = append(timerlat, p.timerlat), append(ebpf, p.ebpf)
		difference = append(difference, p.timerlat-p.ebpf)
	}
	median := func(v []int64) int64 { slices.Sort(v); return v[len(v)/2] }
	a, b := median(timerlat), median(ebpf)
	t.Logf("%s: %d expiries, medians timerlat %d eBPF %d ns, difference min %d median %d max %d ns, %d apart, %d unmatched",
		name, len(pairs), a, b, slices.Min(difference), median(difference), slices.Max(difference), apart, unmatched)
	if far(a, b) || apart*100 > len(pairs) {
		t.Errorf("%s: medians %d and %d ns, %d of %d expiries are apart", name, a, b, apart, len(pairs))
	}
}
