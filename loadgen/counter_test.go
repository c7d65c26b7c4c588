package loadgen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"worstcase/rtsched"
)

const (
	// window is how long a counter is watched at a time.
	window = 100 * time.Millisecond
	// attempts to meet a quiet moment: a compiler beside the test makes as many
	// page faults and processes as a load.
	attempts = 8
)

// TestKindsRaiseTheirCounters holds every kind to what it claims. The machine
// may be busy otherwise: idle is the quietest of all windows without a load, of
// the whole test. Other tests' real-time threads, which make interrupts and
// switches all the time, take turns with it.
func TestKindsRaiseTheirCounters(t *testing.T) {
	release, err := rtsched.LockMachine(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	counters, missing := map[string][]counter{}, map[string]error{}
	for _, k := range Kinds() {
		counters[k.Name], missing[k.Name] = openCounters(k.Counter)
	}
	idle := quietest{}
	idle.watch(t, counters)
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			if err := missing[k.Name]; errors.Is(err, errNoCounter) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			for attempt := 1; ; attempt++ {
				busy := underLoad(t, k, counters[k.Name])
				idle.watch(t, counters)
				complaints := idle.tenfold(t, counters[k.Name], busy)
				if len(complaints) == 0 {
					return
				}
				if attempt == attempts {
					t.Fatal(strings.Join(complaints, "; "))
				}
				t.Logf("attempt %d: %s", attempt, strings.Join(complaints, "; "))
			}
		})
	}
}

// A quietest is the lowest rate per second of each counter, by its name, that
// was seen without a load.
type quietest map[string]float64

// watch watches all counters for some windows.
func (q quietest) watch(t *testing.T, all map[string][]counter) {
	t.Helper()
	for _, counters := range all {
		for _, c := range counters {
			if _, ok := q[c.name]; !ok {
				q[c.name] = math.Inf(1)
			}
		}
	}
	for range 4 {
		before, begin := map[string]float64{}, time.Now()
		each := func(f func(c counter)) {
			for _, counters := range all {
				for _, c := range counters {
					f(c)
				}
			}
		}
		each(func(c counter) { before[c.name] = c.read(t, nil) })
		time.Sleep(window)
		each(func(c counter) {
			q[c.name] = min(q[c.name], (c.read(t, nil)-before[c.name])/time.Since(begin).Seconds())
		})
	}
}

// tenfold says which counters were not raised tenfold.
func (q quietest) tenfold(t *testing.T, counters []counter, busy []float64) []string {
	t.Helper()
	var complaints []string
	for i, c := range counters {
		text := fmt.Sprintf("%s: %.1f/s idle, %.1f/s under load", c.name, q[c.name], busy[i])
		t.Log(text)
		if busy[i] < 10*q[c.name] || busy[i] == 0 {
			complaints = append(complaints, text+"; want ten times as many")
		}
	}
	return complaints
}

// underLoad runs the kind on every CPU and returns the rates of the counters per
// second: the highest of some windows.
func underLoad(t *testing.T, k Kind, counters []counter) []float64 {
	t.Helper()
	l := New(Config{Kinds: []Spec{{Kind: k.Name, Count: PerCPU}}})
	start(t, l)
	busy := make([]float64, len(counters))
	for range 4 {
		before, begin := make([]float64, len(counters)), time.Now()
		for i, c := range counters {
			before[i] = c.read(t, l)
		}
		time.Sleep(window)
		for i, c := range counters {
			busy[i] = max(busy[i], (c.read(t, l)-before[i])/time.Since(begin).Seconds())
		}
	}
	awaitRates(t, l)
	if err := l.Stop(); err != nil {
		t.Fatal(err)
	}
	return busy
}

// awaitRates wants every part of the load to achieve something.
func awaitRates(t *testing.T, l *Load) {
	t.Helper()
	idle := map[string]bool{}
	for begin := time.Now(); ; time.Sleep(window) {
		for label, rate := range l.Rates() {
			if _, known := idle[label]; !known || rate.Rate > 0 {
				idle[label] = rate.Rate <= 0
				t.Logf("%s: %.0f %s", label, rate.Rate, rate.Unit)
			}
		}
		var none []string
		for label, nothing := range idle {
			if nothing {
				none = append(none, label)
			}
		}
		switch {
		case len(none) == 0:
			return
		case time.Since(begin) > time.Minute:
			t.Fatalf("%v achieved nothing", none)
		}
	}
}

func start(t *testing.T, l *Load) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if err := l.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Stop() })
	for _, note := range l.Notes() {
		t.Log(note)
	}
}
