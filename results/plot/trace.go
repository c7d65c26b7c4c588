package plot

import (
	"fmt"
	"maps"
	"slices"

	"worstcase/results"
)

// maxCurves is how many curves a reader can tell apart. The series of a run
// beyond its part of them are merged, the worst staying alone.
const maxCurves = 8

// A trace is what becomes one curve: a series of a run, or several merged.
type trace struct {
	run    *results.Run
	name   string
	note   string
	colour string
	dash   []float64
	total  results.Tally
	// series are the ids of the series in the trace.
	series map[int]bool
	// rest marks what was merged because there are too many series.
	rest bool
}

// tracesOf decides what is drawn of the runs and how. Runs of several things
// (see groupNames) have a colour for each thing, runs of one thing a colour
// each; the series of a run have its colour and a dash each, or when it is the
// only run a colour each. Runs without samples are left out.
func tracesOf(runs []*results.Run) []trace {
	names := groupNames(runs)
	groups := slices.Compact(slices.Sorted(slices.Values(names)))
	if len(groups) == 1 {
		names = RunNames(runs)
	}
	room := max(1, maxCurves/max(1, len(runs)))
	colours := map[string]int{}
	var traces []trace
	for i, run := range runs {
		parts := split(run, room)
		if _, known := colours[names[i]]; !known && len(parts) > 0 {
			colours[names[i]] = len(colours)
		}
		at := colours[names[i]]
		for k := range parts {
			t := &parts[k]
			t.colour, t.dash = colour(at), dash(k+at/len(palette()))
			switch {
			case len(runs) > 1 && t.name != "":
				t.name = names[i] + ", " + t.name
			case t.name == "":
				t.name = names[i]
			}
			if len(runs) == 1 {
				t.colour, t.dash = colour(k), dash(k/len(palette()))
				if t.rest {
					t.colour, t.dash = grey, nil
				}
			}
		}
		traces = append(traces, parts...)
	}
	notes := figures(traces)
	for i := range traces {
		traces[i].note = notes[traces[i].name]
	}
	return traces
}

// distinctLabels are the labels of the runs in order of appearance.
func distinctLabels(runs []*results.Run) (labels []string) {
	for _, r := range runs {
		if !slices.Contains(labels, r.Label) {
			labels = append(labels, r.Label)
		}
	}
	return labels
}

// split returns the series of a run that have samples as traces named by what
// differs among them, worst first where some are merged: at most room of them.
func split(run *results.Run, room int) []trace {
	var with []results.Total
	for _, t := range run.Totals() {
		if !t.Empty() && !t.Missing.Has(results.NoMax) {
			with = append(with, t)
		}
	}
	names := seriesNames(with)
	if len(with) > room {
		// Times of different things are never added up.
		kept := mainSeries(run.Series)
		for i := len(with) - 1; i >= 0 && kept != nil; i-- {
			if !kept[with[i].ID] {
				with, names = slices.Delete(with, i, i+1), slices.Delete(names, i, i+1)
			}
		}
	}
	traces := make([]trace, len(with))
	for i, t := range with {
		traces[i] = trace{run: run, name: names[i], total: t.Tally, series: map[int]bool{t.ID: true}}
	}
	if len(traces) <= room {
		return traces
	}
	slices.SortStableFunc(traces, func(a, b trace) int { return int(min(max(b.total.Max-a.total.Max, -1), 1)) })
	rest := merge(traces[room-1:])
	rest.rest = true
	rest.name = fmt.Sprintf("%d others", len(rest.series))
	if room == 1 {
		rest.name = fmt.Sprintf("%d series", len(rest.series))
	}
	return append(traces[:room-1], rest)
}

// mainSeries are those of a run's series that are about the service time, where
// its series are about different things, as a transport's are; else nil, for
// all.
func mainSeries(series []results.SeriesInfo) map[int]bool {
	service, others := map[int]bool{}, false
	for _, s := range series {
		if s.Labels["what"] == "service" {
			service[s.ID] = true
		} else {
			others = true
		}
	}
	if len(service) == 0 || !others {
		return nil
	}
	return service
}

// merge adds traces of one run up.
func merge(traces []trace) trace {
	sum := trace{run: traces[0].run, series: map[int]bool{}}
	for _, t := range traces {
		sum.total.Add(&t.total)
		maps.Copy(sum.series, t.series)
	}
	return sum
}

// seriesNames tells series apart, by number where their labels do not. A single
// series needs no name.
func seriesNames(series []results.Total) []string {
	infos := make([]results.SeriesInfo, len(series))
	for i, s := range series {
		infos[i] = s.SeriesInfo
	}
	names := results.Names(infos)
	for i := range names {
		if names[i] == "" && len(names) > 1 {
			names[i] = fmt.Sprintf("series %d", infos[i].ID)
		}
	}
	return names
}

// figures are the notes of the curves by their names: the maximum, and how many
// samples of how many runs it is the maximum of.
func figures(traces []trace) map[string]string {
	sums := map[string]*results.Tally{}
	count := map[string]int{}
	for _, t := range traces {
		if sums[t.name] == nil {
			sums[t.name] = new(results.Tally)
		}
		tally := t.total
		tally.Histogram = nil
		sums[t.name].Add(&tally)
		count[t.name]++
	}
	notes := map[string]string{}
	for name, sum := range sums {
		note := "max " + micros(float64(sum.Max))
		if !sum.Missing.Has(results.NoCount) {
			note += " of " + number(float64(sum.Samples()))
		}
		if n := count[name]; n > 1 {
			note += fmt.Sprintf(" in %d runs", n)
		}
		notes[name] = note
	}
	return notes
}

// curve returns an empty curve with the trace's looks.
func (t *trace) curve(style Style) Curve {
	return Curve{Name: t.name, Note: t.note, Style: style, Color: t.colour, Dash: t.dash}
}

// span is the least and greatest latency of the traces, in ns.
func span(traces []trace) (lo, hi int64) {
	grids := gridsOf(traces)
	for i, t := range traces {
		least := t.total.Min
		if g := grids[i]; least >= 0 && g.step > 1 {
			least = max(least, g.step/2) // a 0 of a cell a us wide is no 0
		}
		if i == 0 || least < lo {
			lo = least
		}
		hi = max(hi, t.total.Max)
	}
	return lo, hi
}

// latencyAxis is an axis from lo to hi ns, in us: linear, or logarithmic where
// the greatest is more than sixteen times the least and a linear axis would
// squeeze the bulk of the samples into its first tick.
func latencyAxis(lo, hi int64) Axis {
	a := Axis{Title: "latency (µs)", Scale: Linear, Max: 1}
	switch {
	case hi <= 0:
	case hi > 16*max(lo, 1):
		a.Scale = Log
		a.Min, a.Max = logRange(us(max(lo, 1)), us(hi))
	default:
		room := max(hi-lo, hi/20)/20 + 1
		a.Min, a.Max = us(max(lo-room, min(lo, 0))), us(hi+room)
	}
	return a
}

// fromZero begins a linear axis at 0, where what grows tells how much it grew.
func (a Axis) fromZero() Axis {
	if a.Scale == Linear {
		a.Min, a.Max = min(a.Min, 0), 1.05*a.Max
	}
	return a
}

// us turns ns into us.
func us(ns int64) float64 { return float64(ns) / 1e3 }

// title names what was measured, for how many runs.
func title(what string, runs []*results.Run) string {
	if len(runs) == 0 {
		return what
	}
	labels := distinctLabels(runs)
	tool := runs[0].Tool
	for _, r := range runs {
		if r.Tool != tool {
			return fmt.Sprintf("%s of %d runs of several tools", what, len(runs))
		}
	}
	switch {
	case len(runs) == 1 && labels[0] != "":
		return fmt.Sprintf("%s: %s, %s", tool, what, labels[0])
	case len(runs) > 1:
		return fmt.Sprintf("%s: %s of %d runs", tool, what, len(runs))
	}
	return tool + ": " + what
}

// loss notes the samples that a histogram cannot hold.
func loss(traces []trace) (notes []string) {
	var unrecorded, under, over int64
	for _, t := range traces {
		unrecorded += t.total.Unrecorded
		if h := t.total.Histogram; h != nil {
			under += h.Underflow()
			over += h.Overflow()
		}
	}
	for _, n := range []struct {
		count int64
		what  string
	}{
		{unrecorded, "unrecorded: the ring was full, only their minimum, maximum and sum are known"},
		{under, "negative, not shown"},
		{over, "above the range of their histogram, not shown"},
	} {
		if n.count > 0 {
			notes = append(notes, results.Counted(n.count, "sample")+" "+n.what)
		}
	}
	return notes
}
