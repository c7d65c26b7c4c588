package format

import (
	"io"
	"slices"

	"worstcase/results"
)

// table prints the tables of the Xenomai family: a line a second and series,
// header lines between, a rule and a line for the whole.
type table struct {
	form    string
	out     *lines
	options Options
	header  results.Header
	layout  layout
	series  map[int]*column
	shown   []int // the ids of the series that are printed
	rows    int   // RTD lines since the last header
	told    bool  // a line has said what makes the run special
}

// A column is what a table remembers of one series.
type column struct {
	label string // at the end of its lines, with its space
	// total holds the extremes and counters until now, without a histogram.
	total    results.Tally
	min, max *cells
}

// Put prints a record. Loads and spikes have no place in a table. A checkpoint,
// which a live run has when somebody asks for it, prints the totals so far.
func (t *table) Put(r results.Record) error {
	switch r := r.(type) {
	case *results.Header:
		t.open(r)
	case *results.Interval:
		t.interval(r)
	case *results.Checkpoint:
		t.totals(r.Series, float64(r.At)/1e9, nil)
	case *results.End:
		t.totals(r.Series, r.Seconds, t.options.Gnuplot)
	}
	return t.out.err
}

func (t *table) open(h *results.Header) {
	t.header = *h
	t.layout = layoutOf(t.form, h.Tool)
	t.series = map[int]*column{}
	shown := shownSeries(h.Series)
	names := results.Names(shown)
	for i, s := range shown {
		c := &column{min: newCells(t.options), max: newCells(t.options)}
		if names[i] != "" {
			c.label = " " + names[i]
		}
		t.series[s.ID] = c
		t.shown = append(t.shown, s.ID)
	}
	t.told = h.Tool == "switchbench" || t.layout.bare || t.options.Quiet || t.options.Lines <= 0
	opening := opening(t.form, h)
	if t.told {
		opening = slices.Insert(opening, min(1, len(opening)), conditions(h)...)
	}
	for _, line := range opening {
		t.out.printf("%s", line)
	}
	if duration, ok := h.ConfigInt(results.ConfigDuration); ok && t.options.Quiet && t.options.Notice != nil {
		notice := &lines{w: t.options.Notice}
		notice.printf("running quietly for %d seconds", duration/1e9)
	}
}

// wholeSecond is the least length of an interval, in seconds, that gets a line
// of its own, as a line stands for a second. The end counts what is shorter.
const wholeSecond = 0.999

// interval takes an interval into the totals and prints its line.
func (t *table) interval(i *results.Interval) {
	c := t.series[i.Series]
	if c == nil {
		return
	}
	bare := i.Tally
	bare.Histogram = nil
	c.add(&bare)
	if i.Empty() || i.Seconds < wholeSecond {
		return
	}
	c.min.add(i.Min, 1)
	c.max.add(i.Max, 1)
	if t.options.Quiet || t.header.Tool == "switchbench" {
		return
	}
	t.heading(i)
	l := &t.layout
	t.out.printf("RTD|%s|%s|%s|%s%s", l.three(&i.Tally), l.counters(&c.total),
		l.latency(float64(c.total.Min), !c.total.Missing.Has(results.NoMin)),
		l.latency(float64(c.total.Max), !c.total.Missing.Has(results.NoMax)), c.label)
}

// heading prints the pair of header lines when it is time for them; with
// several series not before the first of them comes.
func (t *table) heading(i *results.Interval) {
	if t.options.Lines <= 0 {
		return
	}
	first := t.rows == 0
	if t.rows >= t.options.Lines && i.Series == t.shown[0] {
		t.rows, first = 0, true
	}
	t.rows++
	if !first {
		return
	}
	t.told = true
	t.out.printf("RTT|  %s%s", hms(float64(i.At)/1e9), t.bracket())
	t.out.printf("RTH|%s", t.layout.head)
}

// totals prints the histograms, the rule and the totals of the seconds until
// now, which also count what no line showed. Plot takes a data file; nil for
// none.
func (t *table) totals(all []results.Total, seconds float64, plot io.Writer) {
	var totals []results.Total
	for _, total := range all {
		if t.series[total.ID] != nil {
			totals = append(totals, total)
		}
	}
	if len(totals) == 0 {
		return
	}
	if t.header.Tool == "switchbench" {
		t.switchbench(totals)
		return
	}
	if !t.told {
		t.told = true
		for _, line := range conditions(&t.header) {
			t.out.printf("%s", line)
		}
	}
	for i := range totals {
		t.histograms(&totals[i], seconds, plot)
	}
	t.out.printf("%s", t.layout.rule)
	asked := seconds
	if duration, ok := t.header.ConfigInt(results.ConfigDuration); ok && duration > 0 {
		asked = float64(duration) / 1e9
	}
	for i := range totals {
		total := &totals[i]
		t.out.printf("RTS|%s|%s|    %s/%s%s", t.layout.three(&total.Tally), t.layout.counters(&total.Tally),
			hms(seconds), hms(asked), t.series[total.ID].label)
	}
}

// add takes the figures of an interval into the totals so far.
func (c *column) add(o *results.Tally) {
	c.total.Overruns += o.Overruns
	c.total.Lost += o.Lost
	c.total.Switches += o.Switches
	if o.Empty() {
		return
	}
	if c.total.Empty() {
		c.total.Min, c.total.Max = o.Min, o.Max
	}
	c.total.Min = min(c.total.Min, o.Min)
	c.total.Max = max(c.total.Max, o.Max)
	c.total.Count += o.Samples()
	c.total.Missing |= o.Missing
}
