// Package compare says whether one set of runs is better than another, and how
// sure that is.
//
// The unit is the run. Samples of one run depend on each other, and so do its
// seconds; only whole runs can be taken as independent, and only when the sides
// were interleaved. What is valid where:
//
//   - four runs a side and more: a permutation of whole runs' labels, corrected
//     over all metrics and series, and an interval for the difference (see
//     permuteLabels, shiftInterval). These carry verdicts.
//   - one run a side: a bootstrap over blocks of seconds (see Blocks). It speaks
//     of these two runs only, and carries no verdict.
//   - maxima never met: block maxima of each side (see Extremes).
package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"worstcase/results"
)

// FewestRuns a side must have for a verdict: two against C(8, 4) = 70 is the
// first p value below 5 %.
const FewestRuns = 4

// defaultAlpha is the probability of a false claim.
const defaultAlpha = 0.05

// A Verdict says what was shown about a figure.
type Verdict string

// The verdicts. An empty one was not asked for, or the comparison is void.
const (
	Better   Verdict = "better"
	Worse    Verdict = "worse"
	Same     Verdict = "same" // shown to be equal within the margin
	NotShown Verdict = "~"
)

// A Side is the runs of one kernel, machine or option.
type Side struct {
	// Name is what tables call it; empty for its runs' label.
	Name string
	Runs []*results.Run
	// Blocks of its only run, for intervals within it; nil otherwise.
	Blocks *Blocks
}

// Options of a comparison. The zero value is right.
type Options struct {
	// Margin is DefaultMargin when zero.
	Margin Margin
	// Alpha is the probability of a false claim in the whole comparison, 0.05 when
	// zero. Intervals have the confidence 1 - Alpha.
	Alpha float64
	// Seed of everything that is drawn at random. The same runs and seed give the
	// same answer.
	Seed uint64
	// Extremes asks for the return levels of both sides.
	Extremes bool
}

// A Comparison is the answer. A is what was before, B what is judged.
type Comparison struct {
	// Cell names what was measured, where other comparisons are of other cells.
	Cell string   `json:"cell,omitempty"`
	A    SideInfo `json:"a"`
	B    SideInfo `json:"b"`
	// Void are the reasons why the sides can't be compared. There are no
	// verdicts then.
	Void        []string     `json:"void,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	Notes       []string     `json:"notes,omitempty"`
	Rows        []Row        `json:"rows"`
	// Permutations is how many assignments of labels were looked at, Exact whether
	// these were all.
	Permutations int     `json:"permutations,omitempty"`
	Exact        bool    `json:"exact,omitempty"`
	Margin       string  `json:"margin"`
	Alpha        float64 `json:"alpha"`
	// Scope is what the intervals speak of: "runs", or "within these two runs
	// only"; empty without intervals.
	Scope string `json:"scope,omitempty"`
	// Verdict of the whole: worse when any row is, else better when any is, same
	// when all are. It is empty when no verdict can be given.
	Verdict  Verdict        `json:"verdict,omitempty"`
	Extremes []SideExtremes `json:"extremes,omitempty"`
}

// The scopes of intervals.
const (
	ScopeRuns   = "runs"
	ScopeWithin = "within these two runs only"
)

// A SideInfo names a side.
type SideInfo struct {
	Name    string  `json:"name"`
	Runs    int     `json:"runs"`
	Seconds float64 `json:"seconds"`
}

// A Row compares one figure of one series. Figures are in Unit, ns or 1/h.
type Row struct {
	Series results.Labels `json:"series,omitempty"`
	// Name tells the series from the others; empty for a single one.
	Name   string `json:"name,omitempty"`
	Metric string `json:"metric"`
	Unit   string `json:"unit"`
	// A and B are the medians of the sides' runs.
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference float64 `json:"difference"`
	Margin     float64 `json:"margin"`
	// Interval of the difference, nil when there is none.
	Interval *Range `json:"interval,omitempty"`
	// P is the exact p value of the rank-sum test of this figure alone, Adjusted
	// that of the permutation test, corrected for all figures. Both are nil
	// without a test.
	P        *float64 `json:"p,omitempty"`
	Adjusted *float64 `json:"p_adjusted,omitempty"`
	Verdict  Verdict  `json:"verdict,omitempty"`

	a, b []float64
}

// Compare judges b against a. It takes no memory from the runs and doesn't
// change them. It returns an error when a side has no run, or no series is
// common to all runs.
func Compare(a, b Side, o Options) (*Comparison, error) {
	if len(a.Runs) == 0 || len(b.Runs) == 0 {
		return nil, fmt.Errorf("compare %d runs with %d: both sides need one", len(a.Runs), len(b.Runs))
	}
	if o.Margin == (Margin{}) {
		o.Margin = DefaultMargin()
	}
	if o.Alpha == 0 {
		o.Alpha = defaultAlpha
	}
	c := &Comparison{A: a.info("A"), B: b.info("B"), Margin: o.Margin.String(), Alpha: o.Alpha}
	pairs, left := pair(a.Runs, b.Runs)
	if len(pairs) == 0 {
		err := fmt.Errorf("compare %s with %s: no series is in all runs", c.A.Name, c.B.Name)
		if len(left) > 0 {
			err = fmt.Errorf("%w (%s)", err, list(left, 4))
		}
		return nil, err
	}
	if len(left) > 0 {
		c.Notes = append(c.Notes, "left out, not in all runs: "+list(left, 4))
	}
	c.environment(a.Runs, b.Runs)
	c.order(a.Runs, b.Runs)
	c.rows(pairs, a.Runs, b.Runs, o)
	rng := rand.New(rand.NewPCG(o.Seed, 0x77636173))
	switch {
	case len(a.Runs) == 1 && len(b.Runs) == 1:
		c.within(pairs, a.Blocks, b.Blocks, o, rng)
		c.needsRuns(o)
	case min(len(a.Runs), len(b.Runs)) < FewestRuns:
		c.needsRuns(o)
	default:
		c.judge(a.Runs, b.Runs, o, rng)
	}
	if o.Extremes {
		c.Extremes = sideExtremes(pairs, c.names(), [2][]*results.Run{a.Runs, b.Runs}, o.Seed)
	}
	return c, nil
}

// names are what sentences call the sides.
func (c *Comparison) names() [2]string {
	if c.A.Name == c.B.Name {
		return [2]string{"A", "B"}
	}
	return [2]string{c.A.Name, c.B.Name}
}

func (s Side) info(fallback string) SideInfo {
	i := SideInfo{Name: s.Name, Runs: len(s.Runs)}
	for _, r := range s.Runs {
		i.Seconds += r.Seconds()
	}
	if i.Name == "" {
		i.Name = common(s.Runs, func(r *results.Run) string { return r.Label })
	}
	if i.Name == "" {
		i.Name = common(s.Runs, func(r *results.Run) string { return r.Host["kernel.release"] })
	}
	if i.Name == "" {
		i.Name = fallback
	}
	return i
}

// common is the text that of returns for all runs, empty when they differ.
func common(runs []*results.Run, of func(*results.Run) string) string {
	s := of(runs[0])
	if slices.ContainsFunc(runs, func(r *results.Run) bool { return of(r) != s }) {
		return ""
	}
	return s
}

// rows fills in medians and differences of every figure that all runs know.
func (c *Comparison) rows(pairs []pairing, a, b []*results.Run, o Options) {
	unknown := map[string]bool{}
	for _, p := range pairs {
		for _, m := range metrics() {
			va, vb, known := p.values(m, a, b)
			if !known {
				unknown[m.name] = true
				continue
			}
			if m.name == "lost" && slices.Max(va) == 0 && slices.Max(vb) == 0 {
				continue
			}
			r := Row{Series: p.labels, Name: p.name, Metric: m.name, Unit: m.unit, A: median(va), B: median(vb), a: va, b: vb}
			r.Difference = r.B - r.A
			r.Margin = o.Margin.of(r.A, m.unit)
			c.Rows = append(c.Rows, r)
		}
	}
	var names []string
	for _, m := range metrics() {
		if unknown[m.name] {
			names = append(names, m.name)
		}
	}
	if len(names) > 0 {
		c.Notes = append(c.Notes, "not compared, unknown or too few samples in some run: "+list(names, 9))
	}
}
