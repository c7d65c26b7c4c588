package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/combin"
)

// enumerable is the largest number of label assignments that are enumerated;
// beyond it (more than ten runs against ten) they are sampled.
const enumerable = 200_000

// sampled is how many assignments are drawn when they cannot be enumerated.
const sampled = 20_000

// A variable is one figure of every run of both sides: the runs of side A
// first, then those of side B.
type variable struct {
	values []float64
	// floor is added to the standard error, so that a figure that hardly varies
	// needs a difference worth speaking of before it outweighs the others. It
	// must not depend on which run belongs to which side.
	floor float64
}

// A permutation is the outcome of permuteLabels.
type permutation struct {
	// adjusted[i] is the p value of variable i, corrected for all variables.
	adjusted []float64
	// assignments is how many assignments of labels to runs were looked at.
	assignments int
	// exact says that these were all there are.
	exact bool
}

// permuteLabels tests whether the first a runs differ from the rest in any of
// the variables. Whole runs change sides, with all their variables at once, so
// dependence among variables (p99 and p99.9 of one run) is kept, and samples
// within a run may depend on each other as they like. It is valid wherever the
// runs are exchangeable when the sides don't differ: interleaved, or at least
// not ordered by side on a machine that drifts.
//
// The statistic is the absolute difference of means over the pooled standard
// error plus the variable's floor (Tusher, Tibshirani and Chu, "Significance
// analysis of microarrays applied to the ionizing radiation response", PNAS 98,
// 2001). The p values are those of the step-down max statistic (Westfall and
// Young, "Resampling-Based Multiple Testing", Wiley 1993, algorithm 4.1), which
// holds the probability of any false claim at the level asked for. The smallest
// p they can take is 2/C(2n, n) however many variables there are.
//
// When assignments are sampled, the one observed counts as one of them (Phipson
// and Smyth, "Permutation p-values should never be zero", 2010).
func permuteLabels(vars []variable, a int, rng *rand.Rand) permutation {
	if len(vars) == 0 {
		return permutation{exact: true}
	}
	t := newTable(vars, a)
	first := make([]int, a)
	for i := range first {
		first[i] = i
	}
	observed := slices.Clone(t.statistics(first))
	order := make([]int, len(vars))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case observed[i] < observed[j]:
			return -1
		case observed[i] > observed[j]:
			return 1
		}
		return i - j
	})

	// as[i] counts the assignments under which the largest statistic among
	// variable i and all that are smaller than it reaches what was observed.
	as := make([]int, len(vars))
	count := func(side []int) {
		stats := t.statistics(side)
		largest := 0.0
		for _, i := range order {
			largest = max(largest, stats[i])
			// Sums in another order differ in the last bits.
			if largest >= observed[i]*(1-1e-9) {
				as[i]++
			}
		}
	}

	p := permutation{adjusted: make([]float64, len(vars))}
	if total := assignments(t.runs, a); total <= enumerable {
		p.exact, p.assignments = true, total
		for g := combin.NewCombinationGenerator(t.runs, a); g.Next(); {
			count(g.Combination(first))
		}
	} else {
		p.assignments = sampled
		count(first)
		for range sampled - 1 {
			count(rng.Perm(t.runs)[:a])
		}
	}
	adjusted := 0.0
	for _, i := range slices.Backward(order) {
		adjusted = max(adjusted, float64(as[i])/float64(p.assignments))
		p.adjusted[i] = adjusted
	}
	return p
}

// assignments is C(n, a), or a number above enumerable.
func assignments(n, a int) int {
	c := 1
	for i := 1; i <= min(a, n-a); i++ {
		c = c * (n - i + 1) / i
		if c > enumerable {
			return c
		}
	}
	return c
}

// A table holds the variables by run, centred, and what is the same for every
// assignment of labels.
type table struct {
	runs, a int
	rows    [][]float64 // rows[run][variable], centred on the variable's mean
	squares []float64   // sum of squares of each variable
	floors  []float64
	sums    []float64 // scratch: of side A
	stats   []float64 // scratch
}

func newTable(vars []variable, a int) *table {
	t := &table{runs: len(vars[0].values), a: a}
	t.rows = make([][]float64, t.runs)
	for r := range t.rows {
		t.rows[r] = make([]float64, len(vars))
	}
	t.squares = make([]float64, len(vars))
	t.floors = make([]float64, len(vars))
	t.sums = make([]float64, len(vars))
	t.stats = make([]float64, len(vars))
	for i, v := range vars {
		m := mean(v.values)
		for r, x := range v.values {
			t.rows[r][i] = x - m
			t.squares[i] += (x - m) * (x - m)
		}
		t.floors[i] = v.floor
	}
	return t
}

// statistics of all variables when the runs of side are A's. The result is
// overwritten by the next call.
func (t *table) statistics(side []int) []float64 {
	clear(t.sums)
	for _, r := range side {
		for i, x := range t.rows[r] {
			t.sums[i] += x
		}
	}
	na, nb := float64(t.a), float64(t.runs-t.a)
	for i, sum := range t.sums {
		// The rows are centred, so the two sides' sums cancel.
		difference := sum/na + sum/nb
		within := max(0, t.squares[i]-sum*sum/na-sum*sum/nb)
		spread := math.Sqrt(within/max(1, na+nb-2)) + t.floors[i]
		switch {
		case t.squares[i] == 0:
			t.stats[i] = 0
		case spread == 0:
			t.stats[i] = math.Inf(1)
		default:
			t.stats[i] = math.Abs(difference) / (spread * math.Sqrt(1/na+1/nb))
		}
	}
	return t.stats
}
