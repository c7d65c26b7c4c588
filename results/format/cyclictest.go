package format

import (
	"fmt"
	"strings"

	"worstcase/results"
)

// cyclictest prints the end of a run as cyclictest -q does: a line a thread, or
// with a histogram its columns and the comments below them. A thread's id and
// its last sample are "?" where the run does not tell them.
type cyclictest struct {
	out     *lines
	options Options
	header  results.Header
}

func (c *cyclictest) Put(r results.Record) error {
	switch r := r.(type) {
	case *results.Header:
		c.header = *r
		if extra := special(r); len(extra) > 0 {
			c.out.printf("# Conditions: %s", strings.Join(extra, ", "))
		}
	case *results.Checkpoint:
		c.totals(r.Series)
	case *results.End:
		c.totals(r.Series)
	}
	return c.out.err
}

func (c *cyclictest) totals(totals []results.Total) {
	switch {
	case len(totals) == 0:
	case c.options.Histogram:
		c.histogram(totals)
	default:
		c.threads(totals)
	}
}

// unit is the number of ns in one of the printed numbers.
func (o Options) unit() int64 {
	if o.Nanoseconds {
		return 1
	}
	return 1000
}

// threads prints the lines of all threads. The interval is in µs whatever the
// other figures are in.
func (c *cyclictest) threads(totals []results.Total) {
	period, _ := c.header.ConfigInt(results.ConfigPeriod)
	priority, _ := c.header.ConfigInt(results.ConfigPriority)
	narrow := 5
	if c.options.Nanoseconds {
		narrow = 8
	}
	for i := range totals {
		t := &totals[i]
		missing := unknown(&t.Tally)
		c.out.printf("T:%2d (%s) P:%2d I:%d C:%s Min:%s Act:%s Avg:%s Max:%s",
			i, count(5, int64(t.Thread), t.Thread != 0), priority, period/1000, count(7, t.Samples(), !missing.Has(results.NoCount)),
			count(7, t.Min/c.options.unit(), !missing.Has(results.NoMin)), count(narrow, t.Last/c.options.unit(), t.Last != 0),
			count(narrow, int64(t.Mean())/c.options.unit(), !missing.Has(results.NoMean)),
			count(8, t.Max/c.options.unit(), !missing.Has(results.NoMax)))
	}
}

// unknown names the figures that are not known; what measured nothing has no
// latencies.
func unknown(t *results.Tally) results.Missing {
	if t.Empty() {
		return t.Missing | results.NoMin | results.NoMean | results.NoMax
	}
	return t.Missing
}

// cyclicCells returns a series' samples by whole units below Cells, and how
// many are not below.
func cyclicCells(o Options, t *results.Tally) (hits []int64, over int64) {
	c := &cells{hits: make([]int64, o.cells()+1), width: o.unit()}
	if t.Histogram != nil {
		c.addAll(t.Histogram)
	}
	return c.hits[:o.cells()], c.hits[o.cells()] + t.Unrecorded
}

// histogram prints one column a thread. Which cycles overflowed is not known,
// only how many: all are among the "others".
func (c *cyclictest) histogram(totals []results.Total) {
	columns := make([][]int64, len(totals))
	var sums, mins, avgs, maxs, overs strings.Builder
	for i := range totals {
		t := &totals[i]
		missing := unknown(&t.Tally)
		hits, over := cyclicCells(c.options, &t.Tally)
		columns[i] = hits
		sum := int64(0)
		for _, n := range hits {
			sum += n
		}
		unit := c.options.unit()
		fmt.Fprintf(&sums, " %09d", sum)
		mins.WriteString(zeros(t.Min/unit, !missing.Has(results.NoMin)))
		avgs.WriteString(zeros(int64(t.Mean())/unit, !missing.Has(results.NoMean)))
		maxs.WriteString(zeros(t.Max/unit, !missing.Has(results.NoMax)))
		overs.WriteString(zeros(over, true))
	}
	c.out.printf("# Histogram")
	for row := range c.options.cells() {
		line := make([]string, len(columns))
		for i, hits := range columns {
			line[i] = fmt.Sprintf("%06d", hits[row])
		}
		c.out.printf("%06d %s", row, strings.Join(line, "\t"))
	}
	c.out.printf("# Total:%s", sums.String())
	c.out.printf("# Min Latencies:%s", mins.String())
	c.out.printf("# Avg Latencies:%s", avgs.String())
	c.out.printf("# Max Latencies:%s", maxs.String())
	c.out.printf("# Histogram Overflows:%s", overs.String())
	c.out.printf("# Histogram Overflow at cycle number:")
	for i, over := range strings.Fields(overs.String()) {
		if over == "00000" {
			c.out.printf("# Thread %d:", i)
		} else {
			c.out.printf("# Thread %d: # %s others", i, over)
		}
	}
	c.out.printf("")
}

func zeros(n int64, known bool) string {
	if !known {
		return " ?"
	}
	return fmt.Sprintf(" %05d", n)
}
