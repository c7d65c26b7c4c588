package compare

import (
	"math"
	"sort"

	"worstcase/results"
)

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
