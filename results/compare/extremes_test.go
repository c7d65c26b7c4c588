package compare

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestGEVQuantile(t *testing.T) {
	for _, shape := range []float64{-0.4, -1e-12, 0, 0.2, 1.5} {
		g := GEV{Location: 10, Scale: 3, Shape: shape}
		for _, p := range []float64{0.001, 0.3, 0.5, 0.99, 1 - 1e-9} {
			if got := g.CDF(g.Quantile(p)); math.Abs(got-p) > 1e-9 {
				t.Errorf("shape %g: CDF(Quantile(%g)) = %g", shape, p, got)
			}
		}
	}
}

// TestFitGEVExact fits the quantiles of a distribution instead of a sample: its
// L-moments then nearly are the distribution's own.
func TestFitGEVExact(t *testing.T) {
	for _, shape := range []float64{-0.5, -0.1, 0, 0.1, 0.3, 0.5} {
		want := GEV{Location: 10_000, Scale: 2_000, Shape: shape}
		x := make([]float64, 400_000)
		for i := range x {
			x[i] = want.Quantile((float64(i) + 0.5) / float64(len(x)))
		}
		got, ok := fitGEV(x)
		if !ok || cmp.Diff(want, got, cmpopts.EquateApprox(0.01, 0.01)) != "" {
			t.Errorf("fit of %+v: %+v", want, got)
		}
	}
	if g, ok := fitGEV([]float64{7, 7, 7, 7}); ok {
		t.Errorf("fit of equal values: %+v", g)
	}
}

func TestExtremesRefuse(t *testing.T) {
	g := GEV{Location: 10_000, Scale: 1_000, Shape: 0.1}
	draw := func(n int, change func(i int, x float64) float64) []float64 {
		rng := testRand(6)
		x := make([]float64, n)
		for i := range x {
			x[i] = change(i, g.Quantile(rng.Float64()))
		}
		return x
	}
	rare := testRand(8)
	spikes := func(_ int, x float64) float64 {
		if rare.Float64() < 0.2 {
			return x + 90_000
		}
		return x
	}
	tests := []struct {
		name   string
		maxima []float64
		want   string
	}{
		{"too few", draw(99, func(_ int, x float64) float64 { return x }), "only 99 blocks"},
		{"changed", draw(400, func(i int, x float64) float64 { return x + float64(i/200)*500 }), "first half"},
		{"drifts", draw(400, func(i int, x float64) float64 { return x + float64(i)*30 }), "drift"},
		{"rounded", draw(400, func(_ int, x float64) float64 { return math.Round(x/1000) * 1000 }), "rounded"},
		{"all equal", draw(400, func(int, float64) float64 { return 8000 }), "all equal"},
		{"two kinds", draw(250, spikes), "too far"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := extremes([][]float64{test.maxima}, 1, 100*time.Microsecond, 300, testRand(1))
			if !strings.Contains(e.Refusal, test.want) || e.GEV != nil || e.Levels != nil {
				t.Errorf("got %+v, want a refusal with %q", e, test.want)
			}
		})
	}
}

func TestLongLevelsNeedMore(t *testing.T) {
	g := GEV{Location: 10_000, Scale: 1_000, Shape: 0.1}
	rng := testRand(7)
	x := make([]float64, 300)
	for i := range x {
		x[i] = g.Quantile(rng.Float64())
	}
	e := extremes([][]float64{x}, 1, 100*time.Microsecond, 300, rng)
	if e.Refusal != "" || len(e.Levels) != 3 {
		t.Fatalf("got %+v, want three levels", e)
	}
	for i, refused := range []bool{false, false, true} {
		if l := e.Levels[i]; (l.Refusal != "") != refused || (l.Range == nil) != refused {
			t.Errorf("level %s: %+v, want refusal %t", l.Name, l, refused)
		}
	}
}

// A model of maxima per second whose return levels are known exactly.
type model struct {
	name    string
	g       GEV
	seconds int
	// memory is the weight of the second before: 0 for none. The maxima are then
	// a max-autoregressive process (Davis and Resnick 1989): on the scale where
	// they are unit Fréchet, X = max(memory × X before, (1 - memory) × Z).
	memory float64
	level  int // index into Levels
}

func (m model) draw(rng *rand.Rand) []float64 {
	x := make([]float64, m.seconds)
	before := 1 / rng.ExpFloat64()
	for i := range x {
		before = max(m.memory*before, (1-m.memory)/rng.ExpFloat64())
		x[i] = m.g.quantile(1 / before)
	}
	return x
}

// truth is the level that a block of that many seconds passes once in every.
func (m model) truth(block float64, every time.Duration) float64 {
	// P(no second of the block passes x) = CDF(x)^(1 + (block-1)(1-memory)).
	y := -math.Log1p(-block/every.Seconds()) / (1 + (block-1)*(1-m.memory))
	return m.g.quantile(y)
}

// TestReturnLevelsCover asks how often an interval holds the truth, and how
// often it is refused though the model holds.
func TestReturnLevelsCover(t *testing.T) {
	models := []model{
		{"light tail, 5 min, 1 h", GEV{10_000, 1_000, 0}, 300, 0, 0},
		{"upper end, 10 min, 24 h", GEV{10_000, 1_000, -0.15}, 600, 0, 1},
		{"heavy tail, 20 min, 1e9 periods", GEV{10_000, 2_000, 0.2}, 1200, 0, 2},
		{"heavy tail with memory, 30 min, 24 h", GEV{10_000, 2_000, 0.15}, 1800, 0.4, 1},
	}
	n := calls(100)
	for k, m := range models {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			rng := testRand(100 + uint64(k))
			refused, held := 0, 0
			for range n {
				e := extremes([][]float64{m.draw(rng)}, 1, 100*time.Microsecond, 300, rng)
				if e.Refusal != "" || e.Levels[m.level].Refusal != "" {
					refused++
					continue
				}
				l := e.Levels[m.level]
				if l.Range.Contains(m.truth(e.Block, l.Every)) {
					held++
				}
			}
			share := 100 * float64(held) / float64(n-refused)
			t.Logf("%d calls: %d refused, %.1f %% of the intervals hold the truth", n, refused, share)
			if refused*10 > n {
				t.Errorf("%d of %d refused though the model holds, want at most a tenth", refused, n)
			}
			if share < 90 || share > 99 {
				t.Errorf("%.1f %% of the intervals hold the truth, want 90 to 99 %%", share)
			}
		})
	}
}
