package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"worstcase/results"
)

// power is the probability with which a planned comparison shows the difference
// that it is planned for.
const power = 0.9

// A Plan says how many runs a side, and how long, show a difference.
type Plan struct {
	Runs    int     `json:"runs"`
	Seconds float64 `json:"seconds"` // of one earlier run, the median
	Resolve string  `json:"resolve"`
	Power   float64 `json:"power"`
	Alpha   float64 `json:"alpha"`
	// Lengths of runs that Rows speak of; the earlier runs' own is the first.
	Lengths []time.Duration `json:"lengths_ns"`
	Rows    []PlanRow       `json:"rows"`
	Notes   []string        `json:"notes,omitempty"`
}

// A PlanRow plans for one figure.
type PlanRow struct {
	Series results.Labels `json:"series,omitempty"`
	Name   string         `json:"name,omitempty"`
	Metric string         `json:"metric"`
	Unit   string         `json:"unit"`
	// Median and Spread (the standard deviation) of the earlier runs.
	Median float64 `json:"median"`
	Spread float64 `json:"spread"`
	// Within is the part of Spread that one run's own seconds explain, and that
	// longer runs make smaller; nil where it isn't known.
	Within *float64 `json:"within,omitempty"`
	// Need is the number of runs a side by length; 0 where it isn't known.
	Need []int `json:"runs_needed"`
}

// MakePlan tells from earlier runs of one configuration how to see a difference
// of the margin. Blocks are those of the runs, nil where unknown: without them
// only runs of the earlier length can be planned for. It needs two runs.
//
// The number is that of the two-sample normal test on logarithms of figures
// (Lachin, "Introduction to sample size determination and power analysis for
// clinical trials", 1981) with Guenther's correction for an estimated spread
// (1981), at the level Alpha divided by the number of figures: a little more
// than the permutation test needs, which knows their correlation.
func MakePlan(runs []*results.Run, blocks []*Blocks, o Options) (*Plan, error) {
	if len(runs) < 2 {
		return nil, fmt.Errorf("plan from %s: how much runs differ from each other needs two", results.Counted(len(runs), "run"))
	}
	if o.Margin == (Margin{}) {
		o.Margin = DefaultMargin()
	}
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	pairs, _ := pair(runs, nil)
	if len(pairs) == 0 {
		return nil, fmt.Errorf("plan from %d runs: no series is in all of them", len(runs))
	}
	p := &Plan{Runs: len(runs), Resolve: o.Margin.String(), Power: power, Alpha: o.Alpha}
	p.Seconds = median(seconds(runs))
	p.Lengths = lengths(p.Seconds)
	rng := rand.New(rand.NewPCG(o.Seed, 0x706c616e))
	for _, pr := range pairs {
		inner := innerSpreads(pr, blocks, o.Alpha, rng)
		for _, m := range metrics() {
			v, known := take(m, runs, pr.a)
			if !known || m.unit != "ns" && slices.Max(v) == 0 {
				continue
			}
			p.Rows = append(p.Rows, planRow(pr, m, v, inner))
		}
	}
	for i := range p.Rows {
		p.size(&p.Rows[i], o)
	}
	if slices.ContainsFunc(p.Rows, func(r PlanRow) bool { return r.Within == nil }) {
		p.Notes = append(p.Notes, "? : how much of the spread longer runs would take away is unknown")
	}
	if len(runs) < FewestRuns {
		p.Notes = append(p.Notes, fmt.Sprintf("a spread found from %d runs is rough: plan again from %d", len(runs), FewestRuns))
	}
	return p, nil
}

func seconds(runs []*results.Run) []float64 {
	s := make([]float64, len(runs))
	for i, r := range runs {
		s[i] = r.Seconds()
	}
	return s
}

// lengths are what is planned for: that of the earlier runs, and round ones
// around it.
func lengths(seconds float64) []time.Duration {
	own := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	list := []time.Duration{own}
	for _, d := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour} {
		if d != own && d >= own/20 && d <= 100*own {
			list = append(list, d)
		}
	}
	return list
}

func planRow(p pairing, m metric, v []float64, inner map[string]float64) PlanRow {
	r := PlanRow{Series: p.labels, Name: p.name, Metric: m.name, Unit: m.unit, Median: median(v), Spread: deviation(v)}
	if s, known := inner[m.name]; known {
		s = math.Min(s, r.Spread)
		r.Within = &s
	}
	return r
}

// innerSpreads are the standard deviations that each figure of one run has by
// the run's own seconds, over all runs.
func innerSpreads(p pairing, blocks []*Blocks, alpha float64, rng *rand.Rand) map[string]float64 {
	squares := map[string]float64{}
	for i, b := range blocks {
		figures := b.resample(p.a[i].ID, alpha, rng)
		if figures == nil {
			return nil
		}
		for name, v := range figures {
			d := deviation(v.draws)
			squares[name] += d * d / float64(len(blocks))
		}
	}
	for name, s := range squares {
		squares[name] = math.Sqrt(s)
	}
	return squares
}

// size fills in how many runs of each length are needed.
func (p *Plan) size(r *PlanRow, o Options) {
	// On a logarithmic scale, as the comparison judges.
	scale := 1 + max(0, r.Median)
	delta := math.Log1p(o.Margin.of(r.Median, r.Unit) / scale)
	alpha := o.Alpha / float64(len(p.Rows))
	for i, length := range p.Lengths {
		variance := r.Spread * r.Spread
		if i > 0 {
			if r.Within == nil {
				r.Need = append(r.Need, 0)
				continue
			}
			w := *r.Within * *r.Within
			variance += w * (p.Seconds/length.Seconds() - 1)
		}
		r.Need = append(r.Need, runsNeeded(math.Sqrt(variance)/scale, delta, alpha))
	}
}

// runsNeeded a side to show a difference delta of a figure with that standard
// deviation.
func runsNeeded(deviation, delta, alpha float64) int {
	if delta <= 0 {
		return 0
	}
	normal := distuv.UnitNormal
	za, zb := normal.Quantile(1-alpha/2), normal.Quantile(power)
	d := deviation / delta
	n := 2*(za+zb)*(za+zb)*d*d + za*za/4
	return max(FewestRuns, int(math.Ceil(min(n, 1e6))))
}

// needsRuns says why there is no verdict and how many runs would do.
func (c *Comparison) needsRuns(o Options) {
	note := fmt.Sprintf("no verdict: it needs %d runs a side", FewestRuns)
	if c.A.Runs < 2 || c.B.Runs < 2 {
		c.Notes = append(c.Notes, note)
		return
	}
	worst, name := 0, ""
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Metric == maxName || r.Unit != "ns" {
			continue
		}
		v := r.variable(o.Margin)
		da, db := deviation(v.values[:len(r.a)]), deviation(v.values[len(r.a):])
		n := runsNeeded(math.Sqrt((da*da+db*db)/2), 4*v.floor, o.Alpha/float64(len(c.Rows)))
		if n > worst {
			worst, name = n, r.Metric
		}
	}
	if name != "" {
		note += fmt.Sprintf("; about %d would show a difference of %s in all but max (most in %s)", worst, c.Margin, name)
	}
	c.Notes = append(c.Notes, note)
}

// A Claim says how long nothing may pass a limit, to claim that the probability
// of passing it is small.
type Claim struct {
	// Probability that is claimed, per period, at 95 % confidence.
	Probability float64       `json:"probability"`
	Period      time.Duration `json:"period_ns"`
	// Samples without one above the limit, and the time they take, if samples
	// were independent of each other.
	Samples       float64       `json:"samples"`
	IfIndependent time.Duration `json:"if_independent_ns"`
	// Block is how long latencies depend on each other, in seconds, 0 when
	// unknown. Blocks of that length are independent, and Blocked is the time in
	// which so many pass: what holds.
	Block   float64       `json:"block_seconds,omitempty"`
	Blocked time.Duration `json:"blocked_ns,omitempty"`
}

// MakeClaim follows the rule of three: with none of n independent trials above,
// the probability is below 3/n at 95 % (see results.Bound). A period passes the
// limit at most as often as its block does, so the claim holds for periods when
// it holds for blocks. Block is in seconds, 0 when unknown. Times beyond 292
// years are cut off there.
func MakeClaim(probability float64, period time.Duration, block float64) (Claim, error) {
	if !(probability > 0 && probability < 1) {
		return Claim{}, fmt.Errorf("plan for a claim of %g: a probability lies between 0 and 1", probability)
	}
	if period <= 0 {
		return Claim{}, fmt.Errorf("plan for a claim of %g: the period is unknown", probability)
	}
	n := math.Ceil(3 / probability * (1 - 1e-12))
	c := Claim{Probability: probability, Period: period, Samples: n, Block: block}
	c.IfIndependent = duration(n * period.Seconds())
	c.Blocked = duration(n * block)
	return c, nil
}

func duration(seconds float64) time.Duration {
	if ns := seconds * 1e9; ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}
