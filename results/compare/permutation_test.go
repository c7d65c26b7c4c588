package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/perf/benchmath"
)

func testRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func TestPermuteLabels(t *testing.T) {
	tests := []struct {
		name  string
		vars  []variable
		a     int
		want  []float64
		total int
		exact bool
	}{
		{"none", nil, 4, nil, 0, true},
		{"all equal", []variable{{values: []float64{7, 7, 7, 7, 7, 7, 7, 7}}}, 4, []float64{1}, 70, true},
		{"four against four apart", []variable{{values: []float64{1, 2, 3, 4, 11, 12, 13, 14}}}, 4, []float64{2. / 70}, 70, true},
		{
			"noise beside a difference costs nothing",
			[]variable{
				{values: []float64{1, 2, 3, 4, 1001, 1002, 1003, 1004}},
				{values: []float64{5, 1, 7, 3, 2, 6, 4, 8}},
				{values: []float64{1, 1, 2, 2, 1, 1, 2, 2}, floor: 0.1},
			},
			4,
			[]float64{2. / 70, 54. / 70, 1},
			70, true,
		},
		{"three against five", []variable{{values: []float64{1, 2, 3, 14, 15, 16, 17, 18}}}, 3, []float64{1. / 56}, 56, true},
		{"without spread", []variable{{values: []float64{1, 1, 1, 1, 2, 2, 2, 2}}}, 4, []float64{2. / 70}, 70, true},
		{"sampled", []variable{{values: append(make([]float64, 11), ones(11)...)}}, 11, []float64{1. / sampled}, sampled, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := permuteLabels(test.vars, test.a, testRand(1))
			if d := cmp.Diff(test.want, got.adjusted, cmpopts.EquateApprox(0, 1e-9)); d != "" {
				t.Errorf("p values (-want +got):\n%s", d)
			}
			if test.vars != nil && got.assignments != test.total || got.exact != test.exact {
				t.Errorf("%d assignments, exact %t, want %d, %t", got.assignments, got.exact, test.total, test.exact)
			}
		})
	}
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// TestPermutationAgreesWithRankSum permutes ranks, where the statistic orders
// assignments as the rank-sum test does.
func TestPermutationAgreesWithRankSum(t *testing.T) {
	rng := testRand(2)
	for range 50 {
		ranks := make([]float64, 10)
		for i, r := range rng.Perm(10) {
			ranks[i] = float64(r)
		}
		got := permuteLabels([]variable{{values: ranks}}, 5, rng).adjusted[0]
		thresholds := benchmath.DefaultThresholds
		a := benchmath.NewSample(append([]float64(nil), ranks[:5]...), &thresholds)
		b := benchmath.NewSample(append([]float64(nil), ranks[5:]...), &thresholds)
		if want := benchmath.AssumeNothing.Compare(a, b).P; math.Abs(got-want) > 1e-9 {
			t.Errorf("ranks %v: p = %g, rank-sum test %g", ranks, got, want)
		}
	}
}

// TestFamilyError draws tables without any difference and counts how often one
// of ten correlated variables is called different.
func TestFamilyError(t *testing.T) {
	rng := testRand(3)
	calls, claimed := 2000, 0
	for range calls {
		vars := make([]variable, 10)
		for i := range vars {
			vars[i].values = make([]float64, 10)
		}
		for r := range 10 {
			common := rng.NormFloat64()
			for i := range vars {
				vars[i].values[r] = common + rng.ExpFloat64()*rng.ExpFloat64()
			}
		}
		for _, p := range permuteLabels(vars, 5, rng).adjusted {
			if p <= 0.05 {
				claimed++
				break
			}
		}
	}
	// 12 of 252 assignments are allowed: 4.8 %, and three standard errors.
	if share := float64(claimed) / float64(calls); share > 0.062 || share < 0.033 {
		t.Errorf("%.1f %% of the tables are called different, want about 4.8 %%", 100*share)
	}
}

func TestShiftInterval(t *testing.T) {
	tests := []struct {
		name string
		a, b []float64
		want Range
		ok   bool
	}{
		{"three against three", []float64{1, 2, 3}, []float64{4, 5, 6}, Range{}, false},
		{"four against four", []float64{1, 2, 3, 4}, []float64{11, 12, 13, 14}, Range{7, 13, 1 - 2./70}, true},
		{"five against five", []float64{1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5}, Range{-3, 3, 1 - 8./252}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := shiftInterval(test.a, test.b, 0.95)
			if ok != test.ok {
				t.Fatalf("interval exists: %t, want %t", ok, test.ok)
			}
			if d := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-9)); d != "" {
				t.Errorf("interval (-want +got):\n%s", d)
			}
		})
	}
}

func TestRankSumDistribution(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {4, 4}, {3, 7}, {10, 10}, {25, 30}} {
		sum := 0.0
		d := rankSumDistribution(size[0], size[1])
		for u, p := range d {
			sum += p
			if mirrored := d[len(d)-1-u]; math.Abs(p-mirrored) > 1e-12 {
				t.Errorf("%v: P(U = %d) = %g, but mirrored %g", size, u, p, mirrored)
			}
		}
		if len(d) != size[0]*size[1]+1 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("%v: %d values that add up to %g", size, len(d), sum)
		}
	}
}
