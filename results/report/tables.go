package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"worstcase/results"
	"worstcase/results/plot"
)

// A table is a table of texts: what is unknown is "?", what does not apply is
// empty.
type table struct {
	Title, Note, Class string
	// Few says what fields of the class few have too few of.
	Few  string
	Head []head
	Rows [][]field
}

type head struct {
	Name, Unit string
	Text       bool
}

type field struct{ Text, Class string }

// number and text are fields that end, and begin, at their column's edge.
func number(s string) field { return field{Text: s} }
func text(s string) field   { return field{s, "text"} }
func wide(s string) field   { return field{s, "text wide"} }

// micros writes ns in us as the printed tables do.
func micros(ns float64) string { return strconv.FormatFloat(ns/1e3, 'f', 3, 64) }

// unless writes "?" for what is missing.
func unless(missing bool, s string) string {
	if missing {
		return "?"
	}
	return s
}

// since writes ns since the start as m:ss.mmm, with hours before when there are
// some: to the millisecond, as traces are searched by it.
func since(ns int64) string {
	ms := ns / 1e6
	s := ms / 1000
	if s < 3600 {
		return fmt.Sprintf("%d:%02d.%03d", s/60, s%60, ms%1000)
	}
	return fmt.Sprintf("%d:%02d:%02d.%03d", s/3600, s/60%60, s%60, ms%1000)
}

// labels writes the labels of a series, those of a transport's cell first and
// without their names.
func labels(l results.Labels) string {
	var words []string
	cell := []string{"transport", "notifier", "size", "rate", "what"}
	for _, k := range cell {
		switch v := l[k]; {
		case v == "":
		case k == "rate":
			words = append(words, v+"Hz")
		default:
			words = append(words, v)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(l)) {
		if !slices.Contains(cell, k) {
			words = append(words, k+" "+l[k])
		}
	}
	return strings.Join(words, " ")
}

// summary holds the figures of every series of every run.
func summary(runs []*results.Run, names []string) table {
	t := table{
		Title: "Latency",
		Few:   "fewer samples than the percentile needs",
		Note:  "in µs; bound: how probable it is, at 95 % confidence, that one more block of so many seconds exceeds the maximum",
		Head: []head{
			{"run", "", true},
			{"series", "", true},
			{Name: "samples"},
			{Name: "min"},
			{Name: "mean"},
			{Name: "p50"},
			{Name: "p90"},
			{Name: "p99"},
			{Name: "p99.9"},
			{Name: "p99.99"},
			{Name: "p99.999"},
			{Name: "max"},
			{Name: "max at"},
			{Name: "bound"},
			{Name: "overruns"},
			{Name: "lost"},
			{Name: "unrecorded"},
		},
	}
	for i, r := range runs {
		for _, total := range r.Totals() {
			if plot.CellLabels(r, &total)["size"] != "" {
				continue // has a row among the cells
			}
			s := total.Summary()
			ns := func(v float64, missing results.Missing) field {
				return number(unless(s.Missing.Has(missing), micros(v)))
			}
			longest := ns(float64(s.Max), results.NoMax)
			longest.Class = "max"
			t.Rows = append(t.Rows, []field{
				text(names[i]), text(labels(total.Labels)), number(unless(s.Missing.Has(results.NoCount), strconv.FormatInt(total.Samples(), 10))),
				ns(float64(s.Min), results.NoMin), ns(s.Mean, results.NoMean),
				share(&s, 0.5, s.P50, results.NoP50), share(&s, 0.9, s.P90, results.NoP90), share(&s, 0.99, s.P99, results.NoP99),
				share(&s, 0.999, s.P999, results.NoP99_9), share(&s, 0.9999, s.P9999, results.NoP99_99), share(&s, 0.99999, s.P99999, results.NoP99_999),
				longest, number(unless(s.Missing.Has(results.NoMaxAt), since(s.MaxAt))), number(bound(r, total.ID)),
				number(unless(s.Missing.Has(results.NoOverruns), strconv.FormatInt(s.Overruns, 10))),
				number(unless(s.Missing.Has(results.NoLost), strconv.FormatInt(s.Lost, 10))), number(strconv.FormatInt(s.Unrecorded, 10)),
			})
		}
	}
	return t.without("unrecorded", "0").without("lost", "0")
}

// share is the field of a percentile, grey where a run has fewer samples than it
// needs to differ from the maximum.
func share(s *results.Summary, q float64, ns int64, missing results.Missing) field {
	f := number(unless(s.Missing.Has(missing), micros(float64(ns))))
	if float64(s.Count)*(1-q) < 1-1e-9 {
		f.Class = "few"
	}
	return f
}

// without leaves out a column in which there is nothing but one text.
func (t table) without(column, only string) table {
	k := slices.IndexFunc(t.Head, func(h head) bool { return h.Name == column })
	if slices.ContainsFunc(t.Rows, func(row []field) bool { return row[k].Text != only }) {
		return t
	}
	t.Head = slices.Delete(t.Head, k, k+1)
	for i := range t.Rows {
		t.Rows[i] = slices.Delete(t.Rows[i], k, k+1)
	}
	return t
}

// bound says how much the maximum of a series is worth.
func bound(r *results.Run, series int) string {
	b := r.Bound(series)
	if b.Blocks < 3 {
		return "none"
	}
	return fmt.Sprintf("< %.2g / %g s", b.Exceed, b.BlockSeconds)
}

// after is a figure of the end of a run, divided.
func after(r *results.Run, key string, by float64, digits int) string {
	if r.End == nil {
		return "?"
	}
	v, known := r.End.After[key]
	return unless(!known, strconv.FormatFloat(v/by, 'f', digits, 64))
}

// spikes holds the worst samples of the runs, taken apart.
func spikes(runs []*results.Run, names []string) table {
	t := table{Title: "Spikes", Note: "in µs", Head: []head{
		{"run", "", true}, {"series", "", true}, {Name: "at"}, {Name: "latency"}, {"blamed", "", true}, {"stages", "", true},
	}}
	for i, r := range runs {
		worst := slices.Clone(r.Spikes)
		slices.SortStableFunc(worst, func(a, b results.Spike) int { return int(min(max(b.Latency-a.Latency, -1), 1)) })
		for _, s := range worst {
			var stages []string
			for _, k := range slices.Sorted(maps.Keys(s.Stages)) {
				stages = append(stages, k+" "+micros(float64(s.Stages[k])))
			}
			series := strconv.Itoa(s.Series)
			for _, info := range r.Series {
				if info.ID == s.Series && len(info.Labels) > 0 {
					series = labels(info.Labels)
				}
			}
			t.Rows = append(t.Rows, []field{
				text(names[i]), text(series), number(since(s.At)), {micros(float64(s.Latency)), "max"}, text(s.Blamed), wide(strings.Join(stages, ", ")),
			})
		}
	}
	return t
}

// changes holds what changed on the machines during the runs, where anything
// did in any run; figures of single CPUs are left to the run log.
func changes(runs []*results.Run, names []string) table {
	t := table{Title: "What changed during the runs", Head: []head{{"figure", "", true}}}
	keys := map[string]bool{}
	for i, r := range runs {
		t.Head = append(t.Head, head{Name: names[i]})
		if r.End == nil {
			continue
		}
		for k, v := range r.End.After {
			if v != 0 && !strings.Contains(k, ".cpu") && !strings.HasPrefix(k, "cpu") {
				keys[k] = true
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		row := []field{text(k)}
		for _, r := range runs {
			var v float64
			known := false
			if r.End != nil {
				v, known = r.End.After[k]
			}
			row = append(row, number(unless(!known, strconv.FormatFloat(v, 'f', -1, 64))))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
