package compare

import (
	"math"
	"testing"
	"time"

	"worstcase/results"
)

func TestRunsNeeded(t *testing.T) {
	tests := []struct {
		name                    string
		deviation, delta, alpha float64
		want                    int
	}{
		{"no spread", 0, 1, 0.05, FewestRuns},
		// 2(1.96+1.28)² = 21.0, and 1.96²/4 = 0.96: 21.97.
		{"a spread as large as the difference", 1, 1, 0.05, 22},
		{"half of it", 0.5, 1, 0.05, 7},
		{"a hundred figures", 1, 1, 0.0005, 49},
		{"nothing to resolve", 1, 0, 0.05, 0},
	}
	for _, test := range tests {
		if got := runsNeeded(test.deviation, test.delta, test.alpha); got != test.want {
			t.Errorf("%s: %d runs, want %d", test.name, got, test.want)
		}
	}
}

// TestPlanHolds plans with the simulated machine and asks whether so many runs
// then find the difference.
func TestPlanHolds(t *testing.T) {
	rng := testRand(12)
	m := &machine{rng: rng}
	earlier, _ := m.sides(10, 0)
	p, err := MakePlan(earlier.Runs, nil, Options{Margin: Margin{Relative: 0.15}})
	if err != nil {
		t.Fatal(err)
	}
	need := 0
	for _, r := range p.Rows {
		if r.Metric == "p50" {
			need = max(need, r.Need[0])
		}
	}
	if need < FewestRuns || need > 30 {
		t.Fatalf("%d runs a side, want some ten", need)
	}
	n, found := calls(30), 0
	for range n {
		m := &machine{rng: rng}
		a, b := m.sides(need, 0.15*7000)
		c, err := Compare(a, b, Options{Margin: Margin{Relative: 0.05}})
		if err != nil {
			t.Fatal(err)
		}
		if c.Verdict == Worse {
			found++
		}
	}
	t.Logf("%d runs a side: %d of %d calls find the difference", need, found, n)
	if float64(found) < 0.8*float64(n) {
		t.Errorf("%d of %d calls find the difference that was planned for", found, n)
	}
}

func TestPlanLength(t *testing.T) {
	rng := testRand(13)
	var runs []*results.Run
	var blocks []*Blocks
	for range 6 {
		// Nearly all of the spread comes from the seconds.
		s := single(t, secondsOf(rng, 60, 7000+5*rng.NormFloat64(), 0.5))
		runs, blocks = append(runs, s.Runs[0]), append(blocks, s.Blocks)
	}
	p, err := MakePlan(runs, blocks, Options{Margin: Margin{Relative: 0.005}})
	if err != nil {
		t.Fatal(err)
	}
	if p.Lengths[0] != time.Minute || len(p.Lengths) < 3 {
		t.Fatalf("lengths %v, want a minute and some others", p.Lengths)
	}
	mean := p.Rows[0]
	if mean.Within == nil || *mean.Within == 0 {
		t.Fatalf("spread within a run of the mean: %v", mean.Within)
	}
	last := len(p.Lengths) - 1
	if mean.Need[last] >= mean.Need[0] {
		t.Errorf("runs needed by length %v: %v, want fewer when longer", p.Lengths, mean.Need)
	}
	for _, r := range p.Rows {
		if r.Metric == maxName && r.Need[last] != 0 {
			t.Errorf("max: %d longer runs, want none planned", r.Need[last])
		}
	}
	if _, err := MakePlan(runs[:1], nil, Options{}); err == nil {
		t.Error("a plan from one run")
	}
}

func TestMakeClaim(t *testing.T) {
	c, err := MakeClaim(1e-9, 100*time.Microsecond, 2)
	if err != nil {
		t.Fatal(err)
	}
	if c.Samples != 3e9 || c.IfIndependent != 300_000*time.Second || math.Abs(c.Blocked.Hours()-6e9/3600) > 1 {
		t.Errorf("claim %+v, want 3e9 samples, 300,000 s and 6e9 s", c)
	}
	if c, _ := MakeClaim(1e-15, time.Second, 0); c.IfIndependent != math.MaxInt64 || c.Blocked != 0 {
		t.Errorf("claim %+v, want a time cut off, and none of blocks", c)
	}
	for _, p := range []float64{0, -1, 1, math.NaN()} {
		if _, err := MakeClaim(p, time.Second, 0); err == nil {
			t.Errorf("a claim of %g", p)
		}
	}
	if _, err := MakeClaim(0.1, 0, 0); err == nil {
		t.Error("a claim without a period")
	}
}
