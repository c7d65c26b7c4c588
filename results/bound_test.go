package results

import (
	"math/rand/v2"
	"testing"
)

// seconds makes a run whose second i has one sample of f(i).
func seconds(n int, f func(i int) int64) *Run {
	r := new(Run)
	r.Put(&Header{Series: []SeriesInfo{{ID: 0}}})
	for i := range n {
		r.Put(&Interval{At: int64(i+1) * 1e9, Seconds: 1, Tally: tally(int64(i)*1e9, f(i))})
	}
	return r
}

func TestBound(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	noise := func(int) int64 { return int64(5000 + 100*r.NormFloat64()) }
	held := int64(0)
	tests := []struct {
		name              string
		run               *Run
		shortest, longest int
	}{
		{"independent seconds", seconds(1000, noise), 1, 2},
		{"every value held for 20 s", seconds(4000, func(i int) int64 {
			if i%20 == 0 {
				held = noise(i)
			}
			return held
		}), 15, 25},
		{"constant", seconds(100, func(int) int64 { return 5000 }), 1, 1},
		{"drift", seconds(1000, func(i int) int64 { return int64(5000 + i) }), 0, 0},
		{"too short", seconds(3, noise), 0, 0},
		{"none", seconds(0, noise), 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := tt.run.Bound(0)
			n := len(tt.run.Intervals)
			if b.BlockSeconds < float64(tt.shortest) || b.BlockSeconds > float64(tt.longest) {
				t.Errorf("blocks of %v s, want %d to %d", b.BlockSeconds, tt.shortest, tt.longest)
			}
			if tt.longest > 0 && (b.Blocks != int(float64(n)/b.BlockSeconds) || b.Exceed != 3/float64(b.Blocks)) {
				t.Errorf("%d blocks of %v s in %d s, bound %v", b.Blocks, b.BlockSeconds, n, b.Exceed)
			}
			if tt.longest == 0 && (b.Blocks != 0 || b.Exceed != 1) {
				t.Errorf("%d blocks, bound %v; want none", b.Blocks, b.Exceed)
			}
			if want := min(1, 3/float64(max(n, 1))); b.IfIndependent != want {
				t.Errorf("if independent: %v, want %v", b.IfIndependent, want)
			}
		})
	}
}

// The bound must hold: in at most 5 % of many runs may the true probability
// that a further second exceeds the maximum be larger.
func TestBoundHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	const runs, n = 2000, 60
	wrong := 0
	for range runs {
		// Uniform samples, so that the probability to exceed is known.
		run := seconds(n, func(int) int64 { return r.Int64N(1 << 40) })
		b := run.Bound(0)
		exceed := 1 - float64(run.Totals()[0].Max)/(1<<40)
		if exceed > b.Exceed {
			wrong++
		}
	}
	if wrong > runs/20 {
		t.Errorf("the bound was wrong in %d of %d runs, more than 5 %%", wrong, runs)
	}
}

// TestBoundWithoutMaximum has intervals that tell no latencies, as those of
// switchtest: there is no maximum that could be worth anything.
func TestBoundWithoutMaximum(t *testing.T) {
	r := &Run{Keep: KeepFigures}
	if err := r.Put(&Header{Series: []SeriesInfo{{}}}); err != nil {
		t.Fatal(err)
	}
	for i := range int64(20) {
		iv := &Interval{At: (i + 1) * 1e9, Seconds: 1, Tally: Tally{Count: 1000 + i%3, Missing: NoMin | NoMean | NoMax}}
		if err := r.Put(iv); err != nil {
			t.Fatal(err)
		}
	}
	if b := r.Bound(0); b.Blocks != 0 || b.Exceed != 1 {
		t.Errorf("bound %+v, want none", b)
	}
}
