package resultscmd

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"worstcase/results"
	"worstcase/results/compare"
	"worstcase/results/render"
)

// mostDifferences are listed one by one; the rest is counted.
const mostDifferences = 30

// printOne writes one comparison: what makes it void first, then what differs,
// the figures, and the verdict last.
func (c *comparing) printOne(w io.Writer, answer *compare.Comparison) error {
	var b strings.Builder
	if answer.Cell != "" {
		c.line(&b, "== "+answer.Cell)
	}
	for _, reason := range answer.Void {
		c.line(&b, "VOID: "+reason)
	}
	c.line(&b, fmt.Sprintf("A: %s", side(answer.A)))
	c.line(&b, fmt.Sprintf("B: %s", side(answer.B)))
	b.WriteByte('\n')
	tables := []*render.Table{differences(answer), figures(answer, "ns"), figures(answer, "1/h"), levels(answer)}
	for _, t := range tables {
		if len(t.Rows) == 0 && len(t.Notes) == 0 {
			continue
		}
		if err := c.table(&b, t); err != nil {
			return err
		}
		b.WriteByte('\n')
	}
	for _, note := range answer.Notes {
		c.line(&b, "note: "+note)
	}
	c.line(&b, conclusion(answer))
	_, err := io.WriteString(w, b.String())
	return err
}

// line ends in two spaces in Markdown, which keeps it apart from the next.
func (c *comparing) line(b *strings.Builder, s string) {
	b.WriteString(s)
	if c.markdown {
		b.WriteString("  ")
	}
	b.WriteByte('\n')
}

func side(s compare.SideInfo) string {
	runs := results.Counted(s.Runs, "run")
	if s.Seconds == 0 { // imported files that don't tell
		return fmt.Sprintf("%s (%s, ? s)", s.Name, runs)
	}
	return fmt.Sprintf("%s (%s, %s)", s.Name, runs, render.Length(s.Seconds))
}

// differences lists the facts that aren't the same on both sides.
func differences(answer *compare.Comparison) *render.Table {
	t := &render.Table{Title: "what differs", Columns: []render.Column{render.Words("fact"), render.Words("A"), render.Words("B"), render.Words("")}}
	for i, d := range answer.Differences {
		if i == mostDifferences {
			t.Notes = append(t.Notes, fmt.Sprintf("and %d more: --json lists all", len(answer.Differences)-i))
			break
		}
		void := ""
		if d.Void {
			void = "void"
		}
		t.Add(render.Text(d.Key), render.Text(shorten(d.A)), render.Text(shorten(d.B)), render.Text(void))
	}
	dropEmpty(t)
	return t
}

// shorten keeps a table readable on a terminal.
func shorten(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// figures compares all figures of one unit: latencies, or counts an hour. Counts
// that are 0 throughout are left to one line.
func figures(answer *compare.Comparison, unit string) *render.Table {
	title := "latencies, medians of the runs"
	cell, scale, precision := "us", 1000.0, 3
	if unit != "ns" {
		title, cell, scale, precision = "counts an hour, medians of the runs", "1/h", 1, 1
	}
	if answer.A.Runs == 1 && answer.B.Runs == 1 {
		title = strings.TrimSuffix(title, ", medians of the runs")
	}
	number := func(name string) render.Column {
		return render.Column{Title: name, Unit: cell, Scale: scale, Precision: precision}
	}
	t := &render.Table{Title: title, Columns: []render.Column{
		render.Words("series"), render.Words("figure"), number("A"), number("B"), number("B-A"),
		render.Words(interval(answer)), render.Words("p"), render.Words("verdict"),
	}}
	zero := true
	for i := range answer.Rows {
		r := &answer.Rows[i]
		if r.Unit != unit {
			continue
		}
		zero = zero && r.A == 0 && r.B == 0 && (r.Interval == nil || r.Interval.Low == 0 && r.Interval.High == 0)
		t.Add(render.Text(r.Name), render.Text(r.Metric), render.Number(r.A), render.Number(r.B), render.Number(r.Difference),
			render.Text(span(r.Interval, scale, precision)), render.Text(probability(r.Adjusted)), render.Text(string(r.Verdict)))
	}
	if unit != "ns" && zero && len(t.Rows) > 0 {
		t.Rows = nil
		t.Notes = []string{"no overruns on either side"}
		return t
	}
	dropEmpty(t)
	return t
}

// interval heads the column of intervals with what they speak of.
func interval(answer *compare.Comparison) string {
	return fmt.Sprintf("%.4g %% interval", 100*(1-answer.Alpha))
}

func span(r *compare.Range, scale float64, precision int) string {
	if r == nil {
		return ""
	}
	f := func(v float64) string { return strconv.FormatFloat(v/scale, 'f', precision, 64) }
	return f(r.Low) + " to " + f(r.High)
}

func probability(p *float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(*p, 'f', 3, 64)
}

// levels shows the return levels of both sides, and what their largest maxima
// are worth.
func levels(answer *compare.Comparison) *render.Table {
	t := levelsTable()
	for _, e := range answer.Extremes {
		name := strings.TrimSpace(e.Side + " " + e.Name)
		addLevels(t, name, e.Extremes)
		if e.Exceed < 1 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: a further %.3g s passes the largest latency met with a probability below %.2g (95 %% confidence)", name, e.Correlated, e.Exceed))
		}
	}
	return t
}

// conclusion is the answer in a line.
func conclusion(answer *compare.Comparison) string {
	names := map[compare.Verdict][]string{}
	for i := range answer.Rows {
		r := &answer.Rows[i]
		names[r.Verdict] = append(names[r.Verdict], strings.TrimSpace(r.Metric+" "+r.Name))
	}
	where := func(v compare.Verdict) string { return strings.Join(names[v], ", ") }
	margin := "margin " + answer.Margin
	switch {
	case len(answer.Void) > 0:
		return "verdict: none, the comparison is void"
	case answer.Verdict == compare.Worse && len(names[compare.Better]) > 0:
		return fmt.Sprintf("verdict: worse in %s; better in %s (%s)", where(compare.Worse), where(compare.Better), margin)
	case answer.Verdict == compare.Worse || answer.Verdict == compare.Better:
		return fmt.Sprintf("verdict: %s in %s (%s)", answer.Verdict, where(answer.Verdict), margin)
	case answer.Verdict == compare.Same:
		return fmt.Sprintf("verdict: same, all within %s", answer.Margin)
	case answer.Verdict == compare.NotShown:
		return fmt.Sprintf("verdict: ~, no difference is shown; not shown to be the same either: %s (%s)", where(compare.NotShown), margin)
	case answer.Scope == compare.ScopeWithin:
		return "verdict: none; the intervals hold " + compare.ScopeWithin
	}
	return "verdict: none"
}
