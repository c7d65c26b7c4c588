package format

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"worstcase/results"
)

// rtlaBuckets is how many buckets of one microsecond rtla has by default.
const rtlaBuckets = 256

// An rtlaColumn is one column of rtla's histogram: a CPU and a context.
type rtlaColumn struct {
	*results.Total
	cpu, context int
	cells        [rtlaBuckets]int64
	above        int64
}

// rtlaContexts are rtla's names, in its order.
var rtlaContexts = [...]string{"IRQ", "Thr", "Usr"}

// rtlaContext is the index of what a series measured: what it says itself, else
// by its run's mode.
func rtlaContext(r *results.Run, labels results.Labels) int {
	switch cmp.Or(labels["context"], r.ConfigText(results.ConfigMode)) {
	case "irq", results.ModeHandler:
		return 0
	case "thread", results.ModeKernel:
		return 1
	}
	return 2
}

// writeRTLA writes what `rtla timerlat hist` prints, in microseconds: a column
// for each CPU and context, one run of each. Minimum and maximum are cut to
// whole microseconds, as rtla cuts them; so is the average.
func writeRTLA(w io.Writer, runs []*results.Run) error {
	columns, seconds, err := rtlaColumns(runs)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	d := time.Duration(seconds * 1e9)
	fmt.Fprintf(out, "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n# Duration: %3d %02d:%02d:%02d\nIndex",
		int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60, int(d.Seconds())%60)
	for _, c := range columns {
		fmt.Fprintf(out, "   %s-%03d", rtlaContexts[c.context], c.cpu)
	}
	fmt.Fprintln(out)
	for i := range rtlaBuckets {
		if slices.ContainsFunc(columns, func(c *rtlaColumn) bool { return c.cells[i] > 0 }) {
			rtlaRow(out, strconv.Itoa(i), columns, func(c *rtlaColumn) (int64, bool) { return c.cells[i], true })
		}
	}
	rtlaRow(out, "over:", columns, func(c *rtlaColumn) (int64, bool) { return c.above, true })
	rtlaSummary(out, columns)
	contexts := slices.DeleteFunc(rtlaAll(columns), func(c *rtlaColumn) bool { return c == nil })
	fmt.Fprint(out, "ALL: ")
	for _, c := range contexts {
		fmt.Fprintf(out, " %9s", rtlaContexts[c.context])
	}
	fmt.Fprintln(out)
	rtlaSummary(out, contexts)
	return out.Flush()
}

// rtlaColumns makes the columns, by CPU and then by context, and tells the
// longest run.
func rtlaColumns(runs []*results.Run) (columns []*rtlaColumn, seconds float64, err error) {
	for _, r := range runs {
		if r.End != nil {
			seconds = max(seconds, r.End.Seconds)
		}
		for i := range r.Totals() {
			c := &rtlaColumn{Total: &r.Totals()[i]}
			if c.Histogram == nil {
				return nil, 0, errNoHistogram
			}
			c.cpu, _ = strconv.Atoi(c.Labels["cpu"])
			c.context = rtlaContext(r, c.Labels)
			for b := range c.Histogram.All() {
				// By its upper end: what was read from whole microseconds stays in them.
				if i := b.High / 1000; i < rtlaBuckets {
					c.cells[i] += b.Count
				} else {
					c.above += b.Count
				}
			}
			c.above += c.Histogram.Overflow()
			columns = append(columns, c)
		}
	}
	slices.SortStableFunc(columns, func(a, b *rtlaColumn) int {
		return cmp.Or(cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.context, b.context))
	})
	for i := 1; i < len(columns); i++ {
		if a, b := columns[i-1], columns[i]; a.cpu == b.cpu && a.context == b.context {
			return nil, 0, fmt.Errorf("two series are %s-%03d: one run for each context", rtlaContexts[a.context], a.cpu)
		}
	}
	return columns, seconds, nil
}

// rtlaAll sums the columns of each context up.
func rtlaAll(columns []*rtlaColumn) []*rtlaColumn {
	all := make([]*rtlaColumn, len(rtlaContexts))
	for _, c := range columns {
		if all[c.context] == nil {
			all[c.context] = &rtlaColumn{Total: new(results.Total), context: c.context}
		}
		sum := *c.Total
		sum.Histogram = nil
		all[c.context].Add(&sum.Tally)
	}
	return all
}

func rtlaSummary(w io.Writer, columns []*rtlaColumn) {
	rtlaRow(w, "count:", columns, func(c *rtlaColumn) (int64, bool) { return c.Samples(), true })
	rtlaRow(w, "min:", columns, func(c *rtlaColumn) (int64, bool) { return c.Min / 1000, !c.Empty() })
	rtlaRow(w, "avg:", columns, func(c *rtlaColumn) (int64, bool) { return int64(math.Floor(c.Mean() / 1000)), !c.Empty() })
	rtlaRow(w, "max:", columns, func(c *rtlaColumn) (int64, bool) { return c.Max / 1000, !c.Empty() })
}

func rtlaRow(w io.Writer, name string, columns []*rtlaColumn, figure func(*rtlaColumn) (int64, bool)) {
	fmt.Fprintf(w, "%-6s", name)
	for _, c := range columns {
		if v, ok := figure(c); ok {
			fmt.Fprintf(w, "%9d ", v)
		} else {
			fmt.Fprint(w, "        - ")
		}
	}
	fmt.Fprintln(w)
}
