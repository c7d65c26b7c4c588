package compare

import (
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/perf/benchmath"

	"worstcase/results"
)

// judge tests all figures together and gives verdicts.
func (c *Comparison) judge(a, b []*results.Run, o Options, rng *rand.Rand) {
	unequal := unequalLengths(a, b)
	if unequal {
		c.Notes = append(c.Notes, "the runs differ in length by more than a tenth: no verdict on max, which grows with it")
	}
	var vars []variable
	var judged []*Row
	for i := range c.Rows {
		r := &c.Rows[i]
		if interval, ok := shiftInterval(r.a, r.b, 1-o.Alpha); ok {
			r.Interval = &interval
		}
		if unequal && r.Metric == maxName {
			continue
		}
		vars = append(vars, r.variable(o.Margin))
		judged = append(judged, r)
	}
	p := permuteLabels(vars, len(a), rng)
	c.Permutations, c.Exact, c.Scope = p.assignments, p.exact, ScopeRuns
	for i, r := range judged {
		r.P = rankSum(r.a, r.b)
		r.Adjusted = &p.adjusted[i]
		if len(c.Void) == 0 {
			r.Verdict = r.judge(o.Alpha)
		}
	}
	if len(c.Void) == 0 {
		c.Verdict = overall(judged)
	}
}

// variable is the figure on a logarithmic scale, where the spread of latencies
// hardly depends on their size and one long maximum doesn't drown the rest. Its
// floor is a quarter of the margin.
func (r *Row) variable(m Margin) variable {
	v := variable{values: make([]float64, 0, len(r.a)+len(r.b))}
	all := slices.Concat(r.a, r.b)
	for _, x := range all {
		v.values = append(v.values, math.Log1p(max(0, x)))
	}
	middle := median(all)
	v.floor = math.Log1p(m.of(middle, r.Unit)/(1+max(0, middle))) / 4
	return v
}

func rankSum(a, b []float64) *float64 {
	t := benchmath.DefaultThresholds
	p := benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(a), &t), benchmath.NewSample(slices.Clone(b), &t)).P
	return &p
}

// judge says better or worse when a difference is shown, unless it is shown to
// be within the margin.
func (r *Row) judge(alpha float64) Verdict {
	if r.Interval != nil && r.Interval.Low >= -r.Margin && r.Interval.High <= r.Margin {
		return Same
	}
	switch {
	case *r.Adjusted > alpha:
		return NotShown
	case r.Difference > 0:
		return Worse
	case r.Difference < 0:
		return Better
	}
	return NotShown
}

func overall(rows []*Row) Verdict {
	count := map[Verdict]int{}
	for _, r := range rows {
		count[r.Verdict]++
	}
	switch {
	case count[Worse] > 0:
		return Worse
	case count[Better] > 0:
		return Better
	case len(rows) > 0 && count[Same] == len(rows):
		return Same
	}
	return NotShown
}

// unequalLengths says whether the longest run is more than a tenth longer than
// the shortest.
func unequalLengths(a, b []*results.Run) bool {
	shortest, longest := math.Inf(1), 0.0
	for _, r := range slices.Concat(a, b) {
		shortest, longest = min(shortest, r.Seconds()), max(longest, r.Seconds())
	}
	return longest > 1.1*shortest
}
