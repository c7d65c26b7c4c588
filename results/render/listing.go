package render

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"worstcase/results"
)

// A Listing is the table that people paste into mailing lists when they compare
// kernels: a row for each, latencies in ns.
type Listing struct {
	// Title and Preamble stand above, a line each; empty ones are left out.
	Title, Preamble string
	// Counter is the last count's name: overrun, or lost.
	Counter string
	Rows    []ListingRow
	// Notes explain the marks in labels.
	Notes []string
}

// A ListingRow is one series of one run, or several together.
type ListingRow struct {
	Label          string
	Min, Mean, Max Cell // in ns
	Count          Cell
	// Time measured, 0 when unknown.
	Time time.Duration
}

// Row makes a row of the figures of a tally.
func (l *Listing) Row(label string, t *results.Tally, time time.Duration) ListingRow {
	known := func(v float64, figure results.Missing) Cell {
		return Known(v, !t.Empty() && !t.Missing.Has(figure))
	}
	row := ListingRow{
		Label: label,
		Min:   known(float64(t.Min), results.NoMin),
		Mean:  known(t.Mean(), results.NoMean),
		Max:   known(float64(t.Max), results.NoMax),
		Count: Known(float64(t.Overruns), !t.Missing.Has(results.NoOverruns)),
		Time:  time,
	}
	if l.Counter == Lost {
		row.Count = Known(float64(t.Lost), !t.Missing.Has(results.NoLost))
	}
	return row
}

// The counters of a Listing.
const (
	Overrun = "overrun"
	Lost    = "lost"
)

// Kernels writes a row a kernel, its label first.
func (l *Listing) Kernels(w io.Writer) error {
	width := 0
	for i := range l.Rows {
		width = max(width, len([]rune(l.Rows[i].Label)))
	}
	var b strings.Builder
	l.open(&b)
	fmt.Fprintf(&b, "%*s|-----lat min|-----lat avg|-----lat max|%s|---test-time\n", width, "", dashed(l.Counter, 8))
	for i := range l.Rows {
		r := &l.Rows[i]
		fmt.Fprintf(&b, "%-*s|%s|%s|%s|%s|%12s\n", width, r.Label, whole(r.Min, 12), whole(r.Mean, 12), whole(r.Max, 12), whole(r.Count, 8), clock(r.Time))
	}
	return l.close(w, &b)
}

// RTS writes a RTS line a kernel, its label last; of what counts losses a RTD
// line, as switchbench has it.
func (l *Listing) RTS(w io.Writer) error {
	var b strings.Builder
	l.open(&b)
	if l.Counter == Lost {
		b.WriteString("RTH|     lat min|     lat avg|     lat max|        lost\n")
	} else {
		b.WriteString("RTH|-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst\n")
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		latencies := whole(r.Min, 12) + "|" + whole(r.Mean, 12) + "|" + whole(r.Max, 12)
		if l.Counter == Lost {
			fmt.Fprintf(&b, "RTD|%s|%s   %s\n", latencies, whole(r.Count, 12), r.Label)
		} else {
			fmt.Fprintf(&b, "RTS|%s|%s|%12s %s\n", latencies, whole(r.Count, 8), clock(r.Time), r.Label)
		}
	}
	return l.close(w, &b)
}

// Table is the listing as a Table, in ns as well.
func (l *Listing) Table() *Table {
	ns := func(title string) Column { return Column{Title: title, Unit: "ns"} }
	t := &Table{
		Title:   strings.TrimSuffix(l.Title, ":"),
		Columns: []Column{Words(""), ns("lat min"), ns("lat avg"), ns("lat max"), Count(l.Counter), {Title: "test time"}},
	}
	if l.Preamble != "" {
		t.Notes = append(t.Notes, strings.TrimPrefix(l.Preamble, "== "))
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		t.Add(Text(r.Label), r.Min, r.Mean, r.Max, r.Count, Text(clock(r.Time)))
	}
	t.Notes = append(t.Notes, l.Notes...)
	return t
}

func (l *Listing) open(b *strings.Builder) {
	if l.Title != "" {
		b.WriteString(l.Title + "\n\n")
	}
	if l.Preamble != "" {
		b.WriteString(l.Preamble + "\n")
	}
}

func (l *Listing) close(w io.Writer, b *strings.Builder) error {
	if len(l.Notes) > 0 {
		b.WriteString("\n" + strings.Join(l.Notes, "\n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func dashed(title string, width int) string {
	return strings.Repeat("-", max(0, width-len(title))) + title
}

// whole writes a number without decimals.
func whole(c Cell, width int) string {
	if c.kind == kindNumber {
		return fmt.Sprintf("%*d", width, int64(math.Round(c.number)))
	}
	return fmt.Sprintf("%*s", width, "?")
}

// clock writes a time as hh:mm:ss, "?" when unknown.
func clock(d time.Duration) string {
	if d <= 0 {
		return "?"
	}
	s := int64(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}
