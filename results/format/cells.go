package format

import (
	"fmt"
	"io"
	"math"

	"worstcase/results"
)

// cells is the histogram of Xenomai's tables: cells of equal width, of which
// the last also takes all that is above, and the first all that is below. It
// exists to print the lines that people know; worstcase's own figures come from
// results.Histogram.
type cells struct {
	hits  []int64
	width int64 // ns
}

func newCells(o Options) *cells {
	return &cells{hits: make([]int64, o.cells()), width: o.cellSize()}
}

// add counts n samples of ns.
func (c *cells) add(ns, n int64) {
	i := max(ns, 0) / c.width
	c.hits[min(i, int64(len(c.hits)-1))] += n
}

// addAll counts all samples of a histogram, each bucket as its middle: a
// sample within one part in 2,048 of a cell's edge may go to the next cell.
func (c *cells) addAll(h *results.Histogram) {
	for b := range h.All() {
		c.add(b.Low+(b.High-b.Low)/2, b.Count)
	}
	c.add(-1, h.Underflow())
	c.add(math.MaxInt64, h.Overflow())
}

// bounds returns the first and the last cell with hits; last < first when there
// is none.
func (c *cells) bounds() (first, last int) {
	first, last = len(c.hits), -1
	for i, n := range c.hits {
		if n > 0 {
			first, last = min(first, i), i
		}
	}
	return first, last
}

// stats returns the number of samples, and mean and standard deviation (of the
// sample) of their cells' indices.
func (c *cells) stats() (n int64, mean, deviation float64) {
	sum := 0.0
	for i, hits := range c.hits {
		n += hits
		sum += float64(i) * float64(hits)
	}
	mean = sum / float64(n)
	squares := 0.0
	for i, hits := range c.hits {
		squares += (float64(i) - mean) * (float64(i) - mean) * float64(hits)
	}
	return n, mean, math.Sqrt(squares / float64(n-1))
}

// histograms prints what -h, -s and -g ask for, of one series; the data file
// only where there is a writer for it.
func (t *table) histograms(total *results.Total, seconds float64, plot io.Writer) {
	o, c := t.options, t.series[total.ID]
	if !o.Histogram && !o.Stats && o.Gnuplot == nil {
		return
	}
	all := newCells(o)
	if total.Histogram != nil {
		all.addAll(total.Histogram)
	}
	params := []struct {
		name  string
		cells *cells
	}{{"min", c.min}, {"avg", all}, {"max", c.max}}
	if o.Histogram {
		for _, p := range params {
			t.out.printf("---|--param|----range-|--samples%s", c.label)
			for i, n := range p.cells.hits {
				if n > 0 {
					t.out.printf("HSD|    %s| %3d -%3d | %8d%s", p.name, i, i+1, n, c.label)
				}
			}
		}
	}
	t.out.printf("HSH|--param|--samples-|--average--|---stddev--%s", c.label)
	for _, p := range params {
		n, mean, deviation := p.cells.stats()
		t.out.printf("HSS|    %s| %9d| %s| %s%s", p.name, n, decimals(mean), decimals(deviation), c.label)
	}
	if plot != nil {
		t.gnuplot(plot, total, all, seconds)
	}
}

// decimals writes a figure of statistics, "?" when too few samples have none.
func decimals(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Sprintf("%10s", "?")
	}
	return fmt.Sprintf("%10.3f", v)
}
