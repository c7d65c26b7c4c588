package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"worstcase/results"
)

// seconds of one series, whose level wanders by the correlation given.
func secondsOf(rng *rand.Rand, n int, level, correlation float64) []results.Interval {
	list := make([]results.Interval, n)
	before := rng.NormFloat64()
	for i := range list {
		before = correlation*before + math.Sqrt(1-correlation*correlation)*rng.NormFloat64()
		iv := &list[i]
		iv.At, iv.Seconds = int64(i+1)*1e9, 1
		iv.Histogram = new(results.Histogram)
		iv.Min = math.MaxInt64
		for range 200 {
			ns := int64(level + 200*before + 500*rng.ExpFloat64())
			iv.Histogram.Record(ns)
			iv.Count++
			iv.Sum += ns
			iv.Min, iv.Max = min(iv.Min, ns), max(iv.Max, ns)
		}
	}
	return list
}

// single is a side of one run.
func single(t *testing.T, intervals []results.Interval) Side {
	t.Helper()
	r, b := &results.Run{}, &Blocks{}
	if err := r.Put(&results.Header{Tool: "latency", Series: []results.SeriesInfo{{}}}); err != nil {
		t.Fatal(err)
	}
	for i := range intervals {
		for _, sink := range []results.Sink{r, b} {
			if err := sink.Put(&intervals[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return Side{Runs: []*results.Run{r}, Blocks: b}
}

func TestBlocksKeepEverySample(t *testing.T) {
	for _, n := range []int{1, 127, 128, 129, 1000, 4096} {
		intervals := secondsOf(testRand(1), n, 7000, 0)
		b := single(t, intervals).Blocks
		l := b.series[0]
		var sum results.Tally
		for i := range l.tallies {
			sum.Add(&l.tallies[i])
		}
		if len(l.tallies) > mostBlocks || sum.Count != int64(200*n) {
			t.Errorf("%d seconds: %d blocks with %d samples, want at most %d with %d", n, len(l.tallies), sum.Count, mostBlocks, 200*n)
		}
		units, _ := b.independent(0)
		for i := range units {
			if got := units[i].Count; got != units[0].Count {
				t.Errorf("%d seconds: unit %d has %d samples, the first %d", n, i, got, units[0].Count)
			}
		}
	}
}

// TestBlocksCoverCorrelation asks that blocks are longer than the seconds depend
// on each other.
func TestBlocksCoverCorrelation(t *testing.T) {
	b := single(t, secondsOf(testRand(2), 600, 7000, 0.9)).Blocks
	units, block := b.independent(0)
	if block == 0 || int64(block)*units[0].Count < 8*200 {
		t.Errorf("%d of %d units make a block for a correlation of 0.9 over 600 s, want longer than 8 s", block, len(units))
	}
	if units, block := single(t, secondsOf(testRand(2), 9, 7000, 0)).Blocks.independent(0); block != 0 {
		t.Errorf("blocks of %d of %d units of 9 s, want none", block, len(units))
	}
}

func TestWithinTwoRuns(t *testing.T) {
	a, b := single(t, secondsOf(testRand(3), 300, 7000, 0.5)), single(t, secondsOf(testRand(4), 300, 9000, 0.5))
	a.Runs[0].Label, b.Runs[0].Label = "one", "one"
	c := compared(t, a, b, Options{Extremes: true})
	if len(c.Extremes) != 2 {
		t.Fatalf("%d series of maxima, want one a side", len(c.Extremes))
	}
	if c.Scope != ScopeWithin || c.Verdict != "" {
		t.Errorf("scope %q, verdict %q, want %q and none", c.Scope, c.Verdict, ScopeWithin)
	}
	for _, r := range c.Rows {
		switch r.Metric {
		case "mean", "p50", "p99", "p99.9":
			if r.Interval == nil || !(r.Interval.Low > 1000 && r.Interval.High < 3000) {
				t.Errorf("%s: interval %v, want one around 2000", r.Metric, r.Interval)
			}
			if r.Interval != nil && !r.Interval.Contains(r.Difference) {
				t.Errorf("%s: difference %g outside of %v", r.Metric, r.Difference, *r.Interval)
			}
		case "max", "overruns":
			if r.Interval != nil {
				t.Errorf("%s: interval %v, want none", r.Metric, *r.Interval)
			}
		}
		if r.Verdict != "" || r.Adjusted != nil {
			t.Errorf("%s: a verdict from one run a side", r.Metric)
		}
	}
	for i, e := range c.Extremes { // a label that both have tells nothing
		if want := string("AB"[i]); e.Side != want {
			t.Errorf("side %q, want %q", e.Side, want)
		}
	}
	short := compared(t, single(t, secondsOf(testRand(3), 9, 7000, 0)), single(t, secondsOf(testRand(4), 300, 9000, 0)), Options{})
	if short.Scope != "" || !strings.Contains(strings.Join(short.Notes, "\n"), "no intervals") {
		t.Errorf("a run of nine seconds: scope %q, notes %q", short.Scope, short.Notes)
	}
}

// TestWithinRefuses asks for few intervals of short runs whose seconds depend on
// each other strongly, and for a word on it: they would hold the truth too seldom.
func TestWithinRefuses(t *testing.T) {
	for _, correlation := range []float64{0.8, 0.9} {
		n, rng, given := calls(40), testRand(6), map[string]int{}
		for range n {
			a, b := secondsOf(rng, 60, 7000, correlation), secondsOf(rng, 60, 7300, correlation)
			c := compared(t, single(t, a), single(t, b), Options{Seed: rng.Uint64()})
			for _, r := range c.Rows {
				if r.Interval != nil {
					given[r.Metric]++
				}
			}
			if c.Scope == "" && !strings.Contains(strings.Join(c.Notes, "\n"), "no interval") {
				t.Errorf("no interval, and no word on it: %q", c.Notes)
			}
		}
		for _, metric := range []string{"mean", "p99"} {
			t.Logf("60 s, correlation %g: %.1f %% of %d calls give an interval of %s", correlation, 100*float64(given[metric])/float64(n), n, metric)
			if given[metric]*20 > n {
				t.Errorf("60 s, correlation %g: %d of %d calls give an interval of %s, want at most one in twenty", correlation, given[metric], n, metric)
			}
		}
	}
}

// TestWithinCovers asks how often the intervals of mean and p99 hold the true
// difference of two runs that go on as they did.
func TestWithinCovers(t *testing.T) {
	for _, c := range []struct {
		seconds     int
		correlation float64
		usual       int // calls
	}{{60, 0, 100}, {120, 0, 100}, {200, 0.6, 100}, {600, 0.8, 40}} {
		n, rng := calls(c.usual), testRand(5)
		least := 0.90
		if n >= 1000 {
			least = 0.93 // 93.6 to 96.9 % were met
		}
		held, given := map[string]int{}, map[string]int{}
		for range n {
			a, b := secondsOf(rng, c.seconds, 7000, c.correlation), secondsOf(rng, c.seconds, 7300, c.correlation)
			for _, r := range compared(t, single(t, a), single(t, b), Options{Seed: rng.Uint64()}).Rows {
				if r.Interval == nil {
					continue
				}
				if given[r.Metric]++; r.Interval.Contains(300) {
					held[r.Metric]++
				}
			}
		}
		for _, metric := range []string{"mean", "p99"} {
			if given[metric]*10 < 9*n {
				t.Errorf("%d s, correlation %g: %d of %d calls give an interval of %s, want nine in ten", c.seconds, c.correlation, given[metric], n, metric)
			}
			share := float64(held[metric]) / float64(given[metric])
			t.Logf("%d s, correlation %g: %.1f %% of %d intervals of %s hold the truth", c.seconds, c.correlation, 100*share, given[metric], metric)
			if share < least {
				t.Errorf("%d s, correlation %g: %.1f %% of the intervals of %s hold the truth, want 95 %%", c.seconds, c.correlation, 100*share, metric)
			}
		}
	}
}
