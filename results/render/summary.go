package render

import (
	"cmp"
	"fmt"
	"strings"

	"worstcase/results"
)

// Summary lays out one run: a row a series with its percentiles, its maximum
// with the date and the worth of it (see results.Bound), and what was missed.
// Columns of losses appear only when something was lost.
func Summary(run *results.Run) *Table {
	totals := run.Totals()
	names := seriesNames(totals)
	t := &Table{Title: title(run), Columns: summaryColumns("series")}
	losses := lossColumns(totals)
	for _, l := range losses {
		t.Columns = append(t.Columns, Count(l.title))
	}
	for i := range totals {
		row := summaryRow(run, &totals[i], names[i])
		for _, l := range losses {
			row = append(row, Number(float64(l.value(&totals[i].Tally))))
		}
		t.Rows = append(t.Rows, row)
	}
	if strings.Join(names, "") == "" {
		dropFirst(t)
	}
	t.Notes = notes(run, totals, names)
	return t
}

// UnderLoads lays out runs that differ in their load: a row for each series of
// each.
func UnderLoads(runs []*results.Run) *Table {
	t := &Table{Columns: summaryColumns("load")}
	for _, run := range runs {
		totals := run.Totals()
		for i, name := range seriesNames(totals) {
			load := cmp.Or(run.ConfigText(results.ConfigLoad), "idle")
			t.Rows = append(t.Rows, summaryRow(run, &totals[i], strings.TrimSpace(load+" "+name)))
		}
	}
	return t
}

func summaryColumns(first string) []Column {
	return []Column{
		Words(first), Count("samples"), Latency("min"), Latency("mean"),
		Latency("p50"), Latency("p90"), Latency("p99"), Latency("p99.9"), Latency("p99.99"), Latency("p99.999"),
		Latency("max"),
		{Title: "at", Unit: "s", Scale: 1e9, Precision: 3},
		Words("beyond"), Count("overruns"),
	}
}

func seriesNames(totals []results.Total) []string {
	infos := make([]results.SeriesInfo, len(totals))
	for i := range totals {
		infos[i] = totals[i].SeriesInfo
	}
	return results.Names(infos)
}

func dropFirst(t *Table) {
	t.Columns = t.Columns[1:]
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][1:]
	}
}

func summaryRow(run *results.Run, total *results.Total, name string) []Cell {
	s := total.Summary()
	known := func(v float64, figure results.Missing) Cell { return Known(v, !s.Missing.Has(figure)) }
	beyond := Unknown()
	if b := run.Bound(total.ID); b.Blocks > 0 {
		beyond = Text(fmt.Sprintf("<%.2g per %.3g s", b.Exceed, b.BlockSeconds))
	}
	return []Cell{
		Text(name),
		known(float64(s.Count+s.Unrecorded), results.NoCount),
		known(float64(s.Min), results.NoMin),
		known(s.Mean, results.NoMean),
		known(float64(s.P50), results.NoP50),
		known(float64(s.P90), results.NoP90),
		known(float64(s.P99), results.NoP99),
		known(float64(s.P999), results.NoP99_9),
		known(float64(s.P9999), results.NoP99_99),
		known(float64(s.P99999), results.NoP99_999),
		known(float64(s.Max), results.NoMax),
		known(float64(s.MaxAt), results.NoMaxAt),
		beyond,
		known(float64(s.Overruns), results.NoOverruns),
	}
}

// A loss is a counter that is shown only when some series has it.
type loss struct {
	title string
	value func(*results.Tally) int64
}

func lossColumns(totals []results.Total) []loss {
	var shown []loss
	for _, l := range []loss{
		{"lost", func(t *results.Tally) int64 { return t.Lost }},
		{"unrecorded", func(t *results.Tally) int64 { return t.Unrecorded }},
	} {
		for i := range totals {
			if l.value(&totals[i].Tally) > 0 {
				shown = append(shown, l)
				break
			}
		}
	}
	return shown
}

// title names the run: its label, tool, what all series have alike, length, load.
func title(run *results.Run) string {
	words := []string{run.Tool}
	if run.Tool == "" {
		words[0] = "a run"
	}
	if run.Label != "" {
		words[0] = run.Label + ": " + words[0]
	}
	if alike := run.Alike().Words(); alike != "" {
		words = append(words, alike)
	}
	if period, ok := run.ConfigInt(results.ConfigPeriod); ok {
		words = append(words, fmt.Sprintf("period %g us", float64(period)/1000))
	}
	switch {
	case run.Seconds() > 0 || run.Truncated():
		words = append(words, Length(run.Seconds()))
	default: // an imported file that doesn't tell
		words = append(words, "? s")
	}
	if load := run.ConfigText(results.ConfigLoad); load != "" {
		words = append(words, "under load "+load)
	}
	return strings.Join(words, ", ")
}

// notes say what a reader of the figures must know before believing them.
func notes(run *results.Run, totals []results.Total, names []string) []string {
	var list []string
	if policy := run.ConfigText(results.ConfigPolicy); policy == "SCHED_OTHER" {
		list = append(list, "not real-time: the threads ran at SCHED_OTHER")
	}
	if run.Truncated() {
		list = append(list, "cut short: the run has no end")
	} else if run.End.Error != "" {
		list = append(list, "failed: "+run.End.Error)
	}
	bounded := false
	for i := range totals {
		b := run.Bound(totals[i].ID)
		if b.Blocks == 0 {
			continue
		}
		bounded = true
		worth := fmt.Sprintf("%s of %.3g s; were the samples independent, <%.2g per sample",
			results.Counted(b.Blocks, "independent block"), b.BlockSeconds, b.IfIndependent)
		if names[i] != "" {
			worth = names[i] + ": " + worth
		}
		list = append(list, worth)
	}
	if bounded {
		list = append(list, "beyond: the probability, at 95 % confidence, that as long a block again holds a latency above max")
	}
	if run.End != nil {
		list = append(list, run.End.Warnings...)
	}
	return append(list, run.Warnings...)
}

// Length writes how long something took, in seconds or hours.
func Length(seconds float64) string {
	if seconds >= 3600 {
		return fmt.Sprintf("%.4g h", seconds/3600)
	}
	return fmt.Sprintf("%.4g s", seconds)
}
