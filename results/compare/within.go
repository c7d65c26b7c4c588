package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"worstcase/results"
)

const (
	// mostBlocks is how many blocks a run is cut into at most.
	mostBlocks = 128
	// fewestBlocks is how many a bootstrap needs.
	fewestBlocks = 10
	resamples    = 1000
)

// Blocks collects the histograms of one run's intervals in at most 128 blocks of
// equal length, however long the run is: some 3 MB a series. It is a Sink.
type Blocks struct {
	series map[int]*blockList
}

type blockList struct {
	step    int // intervals in a block
	last    int // intervals in the last block
	tallies []results.Tally
	means   []float64 // of the intervals
}

// Put takes the intervals of a run and ignores the rest.
func (b *Blocks) Put(rec results.Record) error {
	iv, ok := rec.(*results.Interval)
	if !ok || iv.Histogram == nil || iv.Samples() == 0 {
		return nil
	}
	if b.series == nil {
		b.series = map[int]*blockList{}
	}
	l := b.series[iv.Series]
	if l == nil {
		l = &blockList{step: 1}
		b.series[iv.Series] = l
	}
	l.add(&iv.Tally)
	return nil
}

func (l *blockList) add(t *results.Tally) {
	l.means = append(l.means, t.Mean())
	if len(l.tallies) > 0 && l.last < l.step {
		l.tallies[len(l.tallies)-1].Add(t)
		l.last++
		return
	}
	if len(l.tallies) == mostBlocks {
		l.halve()
	}
	l.tallies = append(l.tallies, results.Tally{})
	l.tallies[len(l.tallies)-1].Add(t)
	l.last = 1
}

// halve joins neighbours.
func (l *blockList) halve() {
	half := l.tallies[:0]
	for i := 0; i+1 < len(l.tallies); i += 2 {
		t := l.tallies[i]
		t.Add(&l.tallies[i+1])
		half = append(half, t)
	}
	clear(l.tallies[len(half):])
	l.tallies, l.step = half, 2*l.step
}

// independent returns blocks that are at least as long as the intervals' means
// depend on each other, and equally long; nil when they are fewer than
// fewestBlocks.
func (b *Blocks) independent(series int) []results.Tally {
	if b == nil || b.series[series] == nil {
		return nil
	}
	l := b.series[series]
	need := results.BlockLength(ranks(l.means))
	if need == 0 {
		return nil
	}
	c := blockList{step: l.step, tallies: slices.Clone(l.tallies)}
	for i := range c.tallies {
		c.tallies[i].Histogram = c.tallies[i].Histogram.Clone()
	}
	if l.last < l.step && len(c.tallies) > 1 {
		c.tallies = c.tallies[:len(c.tallies)-1]
	}
	for c.step < need && len(c.tallies) >= 2*fewestBlocks {
		c.halve()
	}
	if c.step < need || len(c.tallies) < fewestBlocks {
		return nil
	}
	return c.tallies
}

// within gives intervals for the differences of two single runs by a bootstrap
// over blocks of seconds (Carlstein, "The use of subseries values for estimating
// the variance of a general statistic from a stationary sequence", Annals of
// Statistics 14, 1986; Künsch 1989). They say what the two runs would have
// shown, had they gone on as they did: nothing about the next boot. The maximum
// has none, as no resample passes it, and neither have counts.
func (c *Comparison) within(pairs []pairing, a, b *Blocks, o Options, rng *rand.Rand) {
	for _, p := range pairs {
		ra := resample(a.independent(p.a[0].ID), rng)
		rb := resample(b.independent(p.b[0].ID), rng)
		if ra == nil || rb == nil {
			continue
		}
		for i := range c.Rows {
			r := &c.Rows[i]
			figures, ok := ra[r.Metric]
			if !ok || r.Name != p.name {
				continue
			}
			d := make([]float64, resamples)
			for k, x := range figures {
				d[k] = rb[r.Metric][k] - x
			}
			slices.Sort(d)
			r.Interval = &Range{Low: quantileOf(d, o.Alpha/2), High: quantileOf(d, 1-o.Alpha/2)}
			c.Scope = ScopeWithin
		}
	}
	if c.Scope == "" {
		c.Notes = append(c.Notes, "no intervals: they need ten blocks of seconds that don't depend on each other, in both runs")
	}
}

// resample draws as many blocks as there are, with replacement, and returns
// their mean and percentiles, again and again.
func resample(blocks []results.Tally, rng *rand.Rand) map[string][]float64 {
	if blocks == nil {
		return nil
	}
	m := newBlockMatrix(blocks)
	figures := map[string][]float64{}
	weights := make([]float64, len(blocks))
	for range resamples {
		clear(weights)
		for range blocks {
			weights[rng.IntN(len(blocks))]++
		}
		average, at := m.weigh(weights)
		figures["mean"] = append(figures["mean"], average)
		for _, q := range []struct {
			name string
			q    float64
		}{{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}} {
			figures[q.name] = append(figures[q.name], at(q.q))
		}
	}
	return figures
}

// A blockMatrix holds the counts of all buckets that any block fills.
type blockMatrix struct {
	edges   []float64 // the upper ends of the buckets
	columns [][]cell  // by block
	sums    []float64
	samples []float64
	total   []float64 // scratch: by bucket
}

type cell struct {
	bucket int
	count  float64
}

func newBlockMatrix(blocks []results.Tally) *blockMatrix {
	ends := map[int64]int{}
	for i := range blocks {
		for b := range blocks[i].Histogram.All() {
			ends[b.High] = 0
		}
	}
	m := &blockMatrix{}
	for high := range ends {
		m.edges = append(m.edges, float64(high))
	}
	sort.Float64s(m.edges)
	for i, high := range m.edges {
		ends[int64(high)] = i
	}
	for i := range blocks {
		var column []cell
		for b := range blocks[i].Histogram.All() {
			column = append(column, cell{ends[b.High], float64(b.Count)})
		}
		m.columns = append(m.columns, column)
		m.sums = append(m.sums, float64(blocks[i].Sum))
		m.samples = append(m.samples, float64(blocks[i].Samples()))
	}
	m.total = make([]float64, len(m.edges))
	return m
}

// weigh returns the mean of the blocks so often taken, and their percentiles;
// at is valid until the next call.
func (m *blockMatrix) weigh(weights []float64) (average float64, at func(q float64) float64) {
	clear(m.total)
	var sum, samples float64
	for i, w := range weights {
		if w == 0 {
			continue
		}
		sum += w * m.sums[i]
		samples += w * m.samples[i]
		for _, c := range m.columns[i] {
			m.total[c.bucket] += w * c.count
		}
	}
	count := 0.0
	for i, n := range m.total {
		count += n
		m.total[i] = count
	}
	return sum / samples, func(q float64) float64 {
		i := sort.SearchFloat64s(m.total, math.Ceil(q*count-1e-6))
		return m.edges[min(i, len(m.edges)-1)]
	}
}
