package compare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

const (
	// fewestBlocks is how many a bootstrap needs.
	fewestBlocks = 10
	resamples    = 1000
)

// within gives intervals for the differences of two single runs by a bootstrap
// over blocks of seconds (Carlstein, "The use of subseries values for estimating
// the variance of a general statistic from a stationary sequence", Annals of
// Statistics 14, 1986; Künsch 1989), widened by what blocks hide (see widening).
// They say what the two runs would have shown, had they gone on as they did:
// nothing about the next boot. The maximum has none, as no resample passes it,
// and neither have counts.
func (c *Comparison) within(pairs []pairing, a, b *Blocks, o Options, rng *rand.Rand) {
	var vague []string
	for _, p := range pairs {
		ra := a.resample(p.a[0].ID, o.Alpha, rng)
		rb := b.resample(p.b[0].ID, o.Alpha, rng)
		if ra == nil || rb == nil {
			continue
		}
		for i := range c.Rows {
			r := &c.Rows[i]
			da, db := ra[r.Metric], rb[r.Metric]
			switch {
			case r.Name != p.name || r.Unit != "ns" || r.Metric == maxName:
				continue
			case min(da.surely, db.surely) < fewestBlocks:
				vague = append(vague, strings.TrimSpace(r.Metric+" "+r.Name))
				continue
			}
			d := make([]float64, resamples)
			for k := range d {
				d[k] = r.Difference + db.draws[k] - da.draws[k]
			}
			slices.Sort(d)
			r.Interval = &Range{Low: quantileOf(d, o.Alpha/2), High: quantileOf(d, 1-o.Alpha/2)}
			c.Scope = ScopeWithin
		}
	}
	switch {
	case len(vague) > 0:
		c.Notes = append(c.Notes, fmt.Sprintf("no interval of %s: the seconds of a run may depend on each other so much that they tell no more than %d independent ones; measure longer", list(vague, 9), fewestBlocks))
	case c.Scope == "":
		c.Notes = append(c.Notes, "no intervals: they need ten blocks of seconds that don't depend on each other, in both runs")
	}
}

// A resampling is what a bootstrap tells of one figure of a run.
type resampling struct {
	// draws are by how much the figure of drawn blocks differs from that of all.
	draws []float64
	// surely is how many independent values the run's seconds tell at least, of
	// the figure and of the mean: chance within a second hides in a percentile how
	// much the seconds depend on each other.
	surely float64
}

// resample draws as many blocks as there are, with replacement, again and again.
// It returns their mean and percentiles, without those whose seconds tell too
// little; nil without blocks.
func (b *Blocks) resample(series int, alpha float64, rng *rand.Rand) map[string]resampling {
	units, block := b.independent(series)
	if block == 0 {
		return nil
	}
	m := newBlockMatrix(units)
	quantiles := []struct {
		name string
		q    float64
	}{{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}}
	weights := make([]float64, len(units))
	for i := range weights {
		weights[i] = 1
	}
	average, at := m.weigh(weights)
	middle := map[string]float64{"mean": average}
	of := map[string][]float64{"mean": m.means()}
	for _, q := range quantiles {
		middle[q.name] = at(q.q)
		of[q.name] = m.shares(middle[q.name])
	}
	draws := map[string][]float64{}
	for range resamples {
		clear(weights)
		for range len(units) / block {
			first := rng.IntN(len(units)/block) * block
			for i := range block {
				weights[first+i]++
			}
		}
		average, at := m.weigh(weights)
		draws["mean"] = append(draws["mean"], average)
		for _, q := range quantiles {
			draws[q.name] = append(draws[q.name], at(q.q))
		}
	}
	figures := map[string]resampling{}
	for name, list := range draws {
		stretch := widening(of[name], block, alpha)
		if stretch == 0 {
			continue
		}
		for i, x := range list {
			list[i] = stretch * (x - middle[name])
		}
		figures[name] = resampling{list, min(surelyIndependent(of[name]), surelyIndependent(of["mean"]))}
	}
	return figures
}
