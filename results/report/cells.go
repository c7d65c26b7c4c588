package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"worstcase/results"
	"worstcase/results/plot"
)

// mostCells is how many cells of transports are each shown by themselves, beside
// their row in the table and their points in the plots.
const mostCells = 8

// labelsOf are the labels of a transport's cell. Those of other runs lack a size.
func labelsOf(r *results.Run) results.Labels {
	totals := r.Totals()
	if len(totals) == 0 {
		return nil
	}
	return plot.CellLabels(r, &totals[0])
}

func isCell(r *results.Run) bool { return labelsOf(r)["size"] != "" }

// single returns the places of the runs that are shown each by itself: all that
// are no cells, and the cells too where they are few.
func single(runs []*results.Run) []int {
	var others, all []int
	for i, r := range runs {
		all = append(all, i)
		if !isCell(r) {
			others = append(others, i)
		}
	}
	if len(all)-len(others) > mostCells {
		return others
	}
	return all
}

// pick returns the elements at the places.
func pick[T any](list []T, places []int) []T {
	var picked []T
	for _, i := range places {
		picked = append(picked, list[i])
	}
	return picked
}

// cells holds one row for each cell of a transport, as the CyberRT report does,
// those of the same messages below each other. It has no rows when no run is
// a cell.
func cells(runs []*results.Run) table {
	t := table{
		Title: "Messages", Class: "tight", Few: "fewer samples than the percentile needs",
		Note: "latency in µs: from sending to receiving, the response from the time at which the message was due; " +
			"CPU and memory of all processes together, shared memory counted once; SAT: the rate was not reached",
		Head: []head{
			{Name: "size"},
			{Name: "rate", Unit: "Hz"},
			{Name: "subs"},
			{"run", "", true},
			{"transport", "", true},
			{Name: "mean"},
			{Name: "p50"},
			{Name: "p99"},
			{Name: "max"},
			{Name: "response", Unit: "p99"},
			{Name: "fill", Unit: "p50"},
			{Name: "read", Unit: "p50"},
			{Name: "lost", Unit: "%"},
			{Name: "CPU", Unit: "%"},
			{Name: "memory", Unit: "MiB"},
			{"note", "", true},
		},
	}
	var found []*results.Run
	for _, r := range runs {
		if isCell(r) {
			found = append(found, r)
		}
	}
	slices.SortStableFunc(found, func(a, b *results.Run) int {
		l, m := labelsOf(a), labelsOf(b)
		return cmp.Or(
			plot.CompareCells(l["size"], m["size"]),
			plot.CompareCells(l["rate"], m["rate"]),
			cmp.Compare(subscribers(a), subscribers(b)),
		)
	})
	for _, r := range found {
		t.Rows = append(t.Rows, cellRow(r))
	}
	return t.without("subs", "1")
}

// subscribers is their number, 1 where a file doesn't tell.
func subscribers(r *results.Run) int64 {
	n, _ := r.ConfigInt(results.ConfigSubscribers)
	return max(n, 1)
}

func cellRow(r *results.Run) []field {
	l := labelsOf(r)
	s, response := r.Merged("service").Summary(), r.Merged("response").Summary()
	latency := func(ns float64, missing bool) field {
		switch {
		case r.Saturated():
			return number("SAT")
		case missing:
			return number("?")
		}
		return number(strconv.FormatFloat(ns/1e3, 'f', 1, 64))
	}
	p99 := latency(float64(s.P99), s.Missing.Has(results.NoP99))
	late := latency(float64(response.P99), response.Missing.Has(results.NoP99))
	if float64(s.Count)*0.01 < 1 {
		p99.Class, late.Class = "few", "few"
	}
	middle := func(what string) field {
		ns, known := r.Merged(what).Quantile(0.5)
		return number(unless(!known, strconv.FormatFloat(float64(ns)/1e3, 'f', 1, 64)))
	}
	return []field{
		number(l["size"]), number(l["rate"]), number(strconv.FormatInt(subscribers(r), 10)),
		text(r.Label), text(strings.Join(strings.Fields(l["transport"]+" "+l["notifier"]+" "+l["scope"]), " ")),
		latency(s.Mean, s.Missing.Has(results.NoMean)), latency(float64(s.P50), s.Missing.Has(results.NoP50)),
		p99, latency(float64(s.Max), s.Missing.Has(results.NoMax)), late, middle("fill"), middle("read"),
		number(after(r, plot.FigureLoss, 1, 3)), number(after(r, plot.FigureCPU, 1, 2)), number(after(r, plot.FigureMemory, 1<<20, 1)),
		{strings.Join(r.MessageNotes(), "; "), "text note"},
	}
}

// gather makes one verdict of those of the cells that have the same label and
// outcome, where they are too many to be shown each.
func gather(runs []*results.Run, verdicts []verdict) []verdict {
	alone := single(runs)
	type key struct{ label, word string }
	places := map[key]int{}
	count := map[key]int{}
	var list []verdict
	for i, v := range verdicts {
		k := key{runs[i].Label, v.Word}
		switch at, had := places[k]; {
		case slices.Contains(alone, i):
			list = append(list, v)
		case had:
			count[k]++
			list[at].Text = fmt.Sprintf("%d cells%s", count[k], machineOf(runs[i]))
		default:
			places[k], count[k] = len(list), 1
			v.Name, v.Text = runs[i].Label, "1 cell"+machineOf(runs[i])
			list = append(list, v)
		}
	}
	return list
}

// machineOf is the machine of a run, as far as it is told.
func machineOf(r *results.Run) string {
	for _, key := range []string{"machine", "board.model", "cpu.model"} {
		if v := r.Host[key]; v != "" {
			return ", on " + v
		}
	}
	return ", on a machine that is not told"
}

// gatherDetails makes one list of facts of those of the cells that have the same
// label, where they are too many to be shown each. A fact in which they differ
// has all its values.
func gatherDetails(runs []*results.Run, list []details) []details {
	alone := single(runs)
	var out []details
	places := map[string]int{}
	for i, d := range list {
		at, had := places[runs[i].Label]
		switch {
		case slices.Contains(alone, i):
			out = append(out, d)
		case had:
			out[at].merge(d)
		default:
			places[runs[i].Label] = len(out)
			d.Name = "cells of " + runs[i].Label
			out = append(out, d)
		}
	}
	return out
}

// merge adds the facts of o.
func (d *details) merge(o details) {
	for _, row := range o.Table.Rows {
		key, value := row[0].Text, row[1].Text
		i := slices.IndexFunc(d.Table.Rows, func(had []field) bool { return had[0].Text == key })
		if i < 0 {
			d.Table.Rows = append(d.Table.Rows, row)
			continue
		}
		had := &d.Table.Rows[i][1].Text
		if !slices.Contains(strings.Split(*had, " | "), value) {
			*had += " | " + value
		}
	}
}
