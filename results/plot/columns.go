package plot

import (
	"slices"

	"worstcase/results"
)

// maxColumns is how many columns a heat map has at most.
const maxColumns = 480

// Columns keep the histograms of a run by time, all series together, for a
// heat map; of a transport's series those of the service time. It is a Sink, to be given the records of a run beside the Run
// itself: as a run grows longer its columns grow wider, so that a day takes no
// more memory than an hour, where a Run that keeps all histograms would take
// gigabytes. The zero value is ready.
type Columns struct {
	sums []results.Histogram
	// widened is how often the columns were made wider.
	widened int
	// series are those to keep, nil for all.
	series map[int]bool
	// without is how many intervals with samples had no histogram, of all.
	without, all int
}

// widths are the widths of columns in seconds, each a multiple of the one
// before. The last is a leap year: no run fills 480 of them.
func widths() []int64 {
	return []int64{1, 2, 4, 12, 60, 120, 240, 720, 3600, 7200, 6 * 3600, 86400, 7 * 86400, 366 * 7 * 86400}
}

// seconds is how wide a column is.
func (c *Columns) seconds() int64 { return widths()[c.widened] }

// Put takes the next record: a header, for the labels of its series, and the
// intervals. It keeps nothing of the record and returns no error.
func (c *Columns) Put(rec results.Record) error {
	if h, begins := rec.(*results.Header); begins {
		c.series = mainSeries(h.Series)
	}
	v, ok := rec.(*results.Interval)
	if !ok || v.Empty() || c.series != nil && !c.series[v.Series] {
		return nil
	}
	c.all++
	if v.Histogram == nil {
		c.without++
		return nil
	}
	middle := max(0, v.At-int64(v.Seconds*1e9/2))
	for middle/1e9/c.seconds() >= maxColumns && c.widened+1 < len(widths()) {
		c.widen()
	}
	i := int(min(middle/1e9/c.seconds(), maxColumns-1))
	if i >= len(c.sums) {
		c.sums = slices.Grow(c.sums, i+1-len(c.sums))[:i+1]
	}
	c.sums[i].Add(v.Histogram)
	return nil
}

// widen puts neighbouring columns together.
func (c *Columns) widen() {
	factor := int(widths()[c.widened+1] / c.seconds())
	wide := make([]results.Histogram, (len(c.sums)+factor-1)/factor)
	for i := range c.sums {
		wide[i/factor].Add(&c.sums[i])
	}
	c.sums = wide
	c.widened++
}
