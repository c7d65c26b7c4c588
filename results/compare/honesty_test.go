package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"worstcase/results"
)

// calls is how often a simulation calls what it examines: a thousand times in
// make soak.
func calls(usual int) int {
	if os.Getenv("WORSTCASE_SOAK") != "" {
		return 1000
	}
	return usual
}

// A machine makes runs as machines do: samples that depend on each other, boots
// that differ, a drift over the day, and rare spikes of a millisecond.
type machine struct {
	rng  *rand.Rand
	runs int
}

const (
	simulatedSamples = 20_000
	simulatedSeconds = 2
	spikesPerSample  = 1.0 / 15_000
)

// run is the next run, of two series, every latency later by extra ns.
func (m *machine) run(extra float64) *results.Run {
	r := &results.Run{}
	h := &results.Header{
		Schema:  results.Schema,
		Tool:    "latency",
		Config:  map[string]any{results.ConfigPeriod: 100_000},
		Started: time.Unix(1_800_000_000+60*int64(m.runs), 0),
	}
	end := &results.End{Reason: "duration", Seconds: simulatedSeconds, Verdict: results.Pass}
	drift := 0.01 * float64(m.runs)
	boot := 0.02 * m.rng.NormFloat64()
	for id := range 2 {
		info := results.SeriesInfo{ID: id, Labels: results.Labels{"cpu": fmt.Sprint(id)}}
		h.Series = append(h.Series, info)
		end.Series = append(end.Series, results.Total{SeriesInfo: info, Tally: m.series(6200*math.Exp(drift+boot+0.01*m.rng.NormFloat64()), extra)})
	}
	m.runs++
	for _, rec := range []results.Record{h, end} {
		if err := r.Put(rec); err != nil {
			panic(err)
		}
	}
	return r
}

func (m *machine) series(level, extra float64) results.Tally {
	t := results.Tally{Histogram: new(results.Histogram), Min: math.MaxInt64}
	before := m.rng.NormFloat64()
	for range simulatedSamples {
		before = 0.95*before + 0.31*m.rng.NormFloat64()
		x := level*(1+0.1*math.Abs(before)) + 300*m.rng.ExpFloat64() + extra
		if m.rng.Float64() < spikesPerSample {
			x += 1e6 * m.rng.ExpFloat64()
		}
		ns := int64(x)
		t.Histogram.Record(ns)
		t.Count++
		t.Sum += ns
		t.Min, t.Max = min(t.Min, ns), max(t.Max, ns)
	}
	t.Overruns = int64(m.rng.ExpFloat64())
	return t
}

// sides takes n runs of each side in turn.
func (m *machine) sides(n int, extra float64) (a, b Side) {
	for range n {
		a.Runs = append(a.Runs, m.run(0))
		b.Runs = append(b.Runs, m.run(extra))
	}
	return a, b
}

// TestHonest compares a machine with itself: five runs against five, all
// metrics, two series. One call in twenty may claim a difference anywhere.
func TestHonest(t *testing.T) {
	n, claimed := calls(200), 0
	rng := testRand(10)
	for range n {
		m := &machine{rng: rng}
		a, b := m.sides(5, 0)
		c, err := Compare(a, b, Options{Seed: rng.Uint64()})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Rows) != 14 || !c.Exact || c.Permutations != 252 {
			t.Fatalf("%d rows, %d permutations, want 14 rows, 252 permutations", len(c.Rows), c.Permutations)
		}
		if c.Verdict == Better || c.Verdict == Worse {
			claimed++
		}
	}
	t.Logf("%d calls: %.1f %% claim a difference", n, 100*float64(claimed)/float64(n))
	if claimed*20 > n {
		t.Errorf("%d of %d calls claim a difference where there is none, want at most one in twenty", claimed, n)
	}
}

// TestPower compares a machine with one that is 2 us later on a mean of 7 us.
func TestPower(t *testing.T) {
	n, found := calls(60), 0
	rng := testRand(11)
	for range n {
		m := &machine{rng: rng}
		a, b := m.sides(5, 2000)
		c, err := Compare(a, b, Options{Seed: rng.Uint64()})
		if err != nil {
			t.Fatal(err)
		}
		if c.Verdict == Worse {
			found++
		}
	}
	t.Logf("%d calls: %.1f %% find 2 us", n, 100*float64(found)/float64(n))
	if found*20 < 19*n {
		t.Errorf("%d of %d calls find a difference of 2 us, want 95 %%", found, n)
	}
}
