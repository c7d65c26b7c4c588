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
		independent := b.independent(0)
		for i := range independent {
			if got := independent[i].Count; got != independent[0].Count {
				t.Errorf("%d seconds: block %d has %d samples, the first %d", n, i, got, independent[0].Count)
			}
		}
	}
}

// TestBlocksCoverCorrelation asks that blocks are longer than the seconds depend
// on each other.
func TestBlocksCoverCorrelation(t *testing.T) {
	b := single(t, secondsOf(testRand(2), 600, 7000, 0.9)).Blocks
	blocks := b.independent(0)
	if blocks == nil || blocks[0].Count < 8*200 {
		t.Errorf("%d blocks for a correlation of 0.9 over 600 s, want longer than 8 s", len(blocks))
	}
	if blocks := single(t, secondsOf(testRand(2), 9, 7000, 0)).Blocks.independent(0); blocks != nil {
		t.Errorf("%d blocks of 9 s, want none", len(blocks))
	}
}

func TestWithinTwoRuns(t *testing.T) {
	c := compared(t, single(t, secondsOf(testRand(3), 300, 7000, 0.5)), single(t, secondsOf(testRand(4), 300, 9000, 0.5)), Options{})
	if c.Scope != ScopeWithin || c.Verdict != "" {
		t.Errorf("scope %q, verdict %q, want %q and none", c.Scope, c.Verdict, ScopeWithin)
	}
	for _, r := range c.Rows {
		switch r.Metric {
		case "mean", "p50", "p99", "p99.9":
			if r.Interval == nil || !(r.Interval.Low > 1000 && r.Interval.High < 3000) {
				t.Errorf("%s: interval %v, want one around 2000", r.Metric, r.Interval)
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
	short := compared(t, single(t, secondsOf(testRand(3), 9, 7000, 0)), single(t, secondsOf(testRand(4), 300, 9000, 0)), Options{})
	if short.Scope != "" || !strings.Contains(strings.Join(short.Notes, "\n"), "no intervals") {
		t.Errorf("a run of nine seconds: scope %q, notes %q", short.Scope, short.Notes)
	}
}

// TestWithinCovers asks how often the interval of the mean holds the true
// difference of two runs that go on as they did.
func TestWithinCovers(t *testing.T) {
	n, held := calls(100), 0
	rng := testRand(5)
	for range n {
		c := compared(t, single(t, secondsOf(rng, 200, 7000, 0.6)), single(t, secondsOf(rng, 200, 7300, 0.6)), Options{Seed: rng.Uint64()})
		if c.Rows[0].Interval != nil && c.Rows[0].Interval.Contains(300) {
			held++
		}
	}
	t.Logf("%d calls: %.1f %% of the intervals hold the truth", n, 100*float64(held)/float64(n))
	// Blocks that are no longer than the dependence leave intervals a little short.
	if share := float64(held) / float64(n); share < 0.85 {
		t.Errorf("%.1f %% of the intervals hold the truth, want nearly 95 %%", 100*share)
	}
}
