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

// independent returns units of time of one length, and how many of them make
// a block that is at least as long as the intervals' means depend on each other;
// 0 when the blocks are fewer than fewestBlocks.
func (b *Blocks) independent(series int) (units []results.Tally, block int) {
	if b == nil || b.series[series] == nil {
		return nil, 0
	}
	l := b.series[series]
	need := results.BlockLength(ranks(l.means))
	if need == 0 {
		return nil, 0
	}
	units = l.tallies
	if l.last < l.step && len(units) > 1 {
		units = units[:len(units)-1]
	}
	block = (need + l.step - 1) / l.step
	if len(units)/block < fewestBlocks {
		return nil, 0
	}
	return units[:len(units)/block*block], block
}

// within gives intervals for the differences of two single runs by a bootstrap
// over blocks of seconds (Carlstein, "The use of subseries values for estimating
// the variance of a general statistic from a stationary sequence", Annals of
// Statistics 14, 1986; Künsch 1989), widened by what blocks hide (see widening).
// They say what the two runs would have shown, had they gone on as they did:
// nothing about the next boot. The maximum has none, as no resample passes it,
// and neither have counts.
func (c *Comparison) within(pairs []pairing, a, b *Blocks, o Options, rng *rand.Rand) {
	for _, p := range pairs {
		ra := a.resample(p.a[0].ID, o.Alpha, rng)
		rb := b.resample(p.b[0].ID, o.Alpha, rng)
		if ra == nil || rb == nil {
			continue
		}
		for i := range c.Rows {
			r := &c.Rows[i]
			da, db := ra[r.Metric], rb[r.Metric]
			if da == nil || db == nil || r.Name != p.name {
				continue
			}
			d := make([]float64, resamples)
			for k := range d {
				d[k] = db[k] - da[k]
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
// their mean and percentiles, again and again, without those whose seconds tell
// too little; nil without blocks.
func (b *Blocks) resample(series int, alpha float64, rng *rand.Rand) map[string][]float64 {
	units, block := b.independent(series)
	if block == 0 {
		return nil
	}
	m := newBlockMatrix(units)
	quantiles := []struct {
		name string
		q    float64
	}{{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}}
	figures := map[string][]float64{}
	weights := make([]float64, len(units))
	draw := func() {
		average, at := m.weigh(weights)
		figures["mean"] = append(figures["mean"], average)
		for _, q := range quantiles {
			figures[q.name] = append(figures[q.name], at(q.q))
		}
	}
	for i := range weights {
		weights[i] = 1
	}
	draw()
	stretch := map[string]float64{"mean": widening(m.means(), block, alpha)}
	for _, q := range quantiles {
		stretch[q.name] = widening(m.shares(figures[q.name][0]), block, alpha)
	}
	for range resamples {
		clear(weights)
		for range len(units) / block {
			first := rng.IntN(len(units)/block) * block
			for i := range block {
				weights[first+i]++
			}
		}
		draw()
	}
	for name, list := range figures {
		if stretch[name] == 0 {
			delete(figures, name)
			continue
		}
		middle, draws := list[0], list[1:]
		for i, x := range draws {
			draws[i] = middle + stretch[name]*(x-middle)
		}
		figures[name] = draws
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

// means are those of the blocks.
func (m *blockMatrix) means() []float64 {
	list := make([]float64, len(m.columns))
	for i := range list {
		list[i] = m.sums[i] / m.samples[i]
	}
	return list
}

// shares are how much of each block lies at or below ns, which is all that a
// percentile of that value depends on, to first order (Bahadur, "A note on
// quantiles in large samples", Annals of Mathematical Statistics 37, 1966).
func (m *blockMatrix) shares(ns float64) []float64 {
	list := make([]float64, len(m.columns))
	for i, column := range m.columns {
		all := 0.0
		for _, c := range column {
			if all += c.count; m.edges[c.bucket] <= ns {
				list[i] += c.count
			}
		}
		list[i] /= all
	}
	return list
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
