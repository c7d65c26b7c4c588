package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/compare"
	"worstcase/results/render"
)

// A verdict is the outcome of one run in words.
type verdict struct{ Word, Class, Name, Text string }

func verdicts(runs []*results.Run, names []string) []verdict {
	list := make([]verdict, len(runs))
	for i, r := range runs {
		v := verdict{Word: "cut short", Class: "error", Name: names[i]}
		parts := []string{render.Length(r.Seconds())}
		if r.Seconds() == 0 && !r.Truncated() {
			parts[0] = "? s" // an imported file that doesn't tell
		}
		if r.End != nil {
			v.Word, v.Class = string(r.End.Verdict), string(r.End.Verdict)
			if v.Word == "" {
				v.Word = "no verdict"
			}
			if r.End.Reason == results.ReasonImported && r.End.Verdict == results.Pass && len(r.End.Gates) == 0 {
				v.Word, v.Class = "imported", "none" // nobody set a limit
			}
			switch r.End.Reason {
			case "", results.ReasonImported:
			default:
				parts = append(parts, "ended by "+r.End.Reason)
			}
			if r.End.Error != "" {
				parts = append(parts, r.End.Error)
			}
		}
		if !r.Started.IsZero() {
			parts = append(parts, "started "+r.Started.UTC().Format(time.DateTime)+" UTC")
		}
		v.Text = strings.Join(parts, ", ")
		list[i] = v
	}
	return list
}

// warnings are what the runs and their readers have to say of their worth, and
// what of their figures can't be true.
func warnings(runs []*results.Run, names []string) (list []string) {
	for i, r := range runs {
		period, _ := r.ConfigInt(results.ConfigPeriod)
		said := slices.Clip(r.Document().Warnings)
		for _, c := range r.Check(time.Duration(period)) {
			if c = "the figures contradict themselves: " + c; !slices.Contains(said, c) {
				said = append(said, c)
			}
		}
		for _, w := range said {
			list = append(list, names[i]+": "+w)
		}
	}
	return list
}

// gates holds the limits that the runs were given and whether they held.
func gates(runs []*results.Run, names []string) table {
	t := table{Title: "Gates", Head: []head{{"run", "", true}, {"gate", "", true}, {Name: "series"}, {Name: "limit"}, {Name: "value"}, {"unit", "", true}, {"held", "", true}}}
	for i, r := range runs {
		if r.End == nil {
			continue
		}
		for _, g := range r.End.Gates {
			limit, value, unit := g.Limit, g.Value, g.Unit
			if unit == "ns" {
				limit, value, unit = limit/1e3, value/1e3, "µs"
			}
			held := field{"yes", "text pass"}
			if !g.Pass {
				held = field{"no", "text fail"}
			}
			t.Rows = append(t.Rows, []field{
				text(names[i]), text(g.Name), number(strconv.Itoa(g.Series)), number(strconv.FormatFloat(limit, 'f', -1, 64)),
				number(strconv.FormatFloat(value, 'f', -1, 64)), text(unit), held,
			})
		}
	}
	return t
}

// A comparison is a compare.Comparison in words.
type comparison struct {
	Heading, Verdict, Class string
	Void, Notes             []string
	Table                   table
}

func comparisonOf(c *compare.Comparison) comparison {
	out := comparison{
		Heading: fmt.Sprintf("%s compared with %s", c.B.Name, c.A.Name),
		Verdict: string(c.Verdict), Class: string(c.Verdict),
		Void: c.Void, Notes: c.Notes,
		Table: table{Head: []head{
			{"series", "", true},
			{"figure", "", true},
			{c.A.Name, "median", false},
			{c.B.Name, "median", false},
			{Name: "difference"},
			{Name: "interval", Unit: fmt.Sprintf("%g %%", 100*(1-c.Alpha))},
			{Name: "p", Unit: "corrected"},
			{"verdict", "", true},
		}},
	}
	switch c.Verdict {
	case "":
		out.Verdict, out.Class = "no verdict", "none"
	case compare.NotShown:
		out.Verdict, out.Class = "~ no difference shown", "none"
	}
	if c.Scope != "" {
		out.Notes = append(slices.Clone(out.Notes), fmt.Sprintf("intervals speak of %s; margin %s", c.Scope, c.Margin))
	}
	for _, r := range c.Rows {
		show := func(v float64) string {
			if r.Unit == "ns" {
				return micros(v) + " µs"
			}
			return strconv.FormatFloat(v, 'f', 2, 64) + " " + r.Unit
		}
		row := []field{text(labels(r.Series)), text(r.Metric), number(show(r.A)), number(show(r.B)), number(show(r.Difference)), {}, {}, text(string(r.Verdict))}
		if r.Interval != nil {
			row[5].Text = show(r.Interval.Low) + " … " + show(r.Interval.High)
		}
		if r.Adjusted != nil {
			row[6].Text = strconv.FormatFloat(*r.Adjusted, 'g', 2, 64)
		}
		row[7].Class += " verdict " + string(r.Verdict)
		out.Table.Rows = append(out.Table.Rows, row)
	}
	return out
}

// differences holds the facts of machine, configuration and load in which the
// sides of the comparisons differ, those first that make one void. All
// comparisons have one first side.
func differences(list []*compare.Comparison) table {
	t := table{Title: "Differences between the machines and configurations", Head: []head{{"fact", "", true}}}
	if len(list) == 0 {
		return t
	}
	t.Head = append(t.Head, head{list[0].A.Name, "", true})
	first := map[string]string{}
	void := map[string]bool{}
	for _, c := range list {
		t.Head = append(t.Head, head{c.B.Name, "", true})
		for _, d := range c.Differences {
			first[d.Key] = d.A
			void[d.Key] = void[d.Key] || d.Void
		}
	}
	keys := slices.Sorted(maps.Keys(first))
	slices.SortStableFunc(keys, func(a, b string) int {
		switch {
		case void[a] == void[b]:
			return 0
		case void[a]:
			return -1
		}
		return 1
	})
	for _, k := range keys {
		row := []field{text(k), wide(first[k])}
		if void[k] {
			row[0].Class += " verdict worse"
		}
		for _, c := range list {
			value := first[k]
			for _, d := range c.Differences {
				if d.Key == k {
					value = d.B
				}
			}
			row = append(row, wide(value))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// details is what one run recorded of its machine and configuration.
type details struct {
	Name  string
	Table table
}

func machines(runs []*results.Run, names []string) []details {
	list := make([]details, len(runs))
	for i, r := range runs {
		t := table{Head: []head{{"fact", "", true}, {"value", "", true}}}
		for _, k := range slices.Sorted(maps.Keys(r.Config)) {
			t.Rows = append(t.Rows, []field{text("config." + k), wide(results.ConfigString(r.Config[k]))})
		}
		for _, k := range slices.Sorted(maps.Keys(r.Host)) {
			t.Rows = append(t.Rows, []field{text(k), wide(r.Host[k])})
		}
		list[i] = details{Name: names[i], Table: t}
		if r.Source != "" {
			list[i].Name += " (" + r.Source + ")"
		}
	}
	return list
}
