package plot

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/montanaflynn/stats"

	"worstcase/results"
)

// The figures of an End that Over shows, where a run has them: what all
// processes of a cell used together, memory that they share counted once.
const (
	FigureCPU    = "cpu_percent"  // of one CPU
	FigureMemory = "memory_bytes" // proportional set size
	FigureLoss   = "loss_percent" // of the messages published
)

// A metric is one figure of a cell.
type metric struct {
	what, unit string
	// scale is Log for what may differ by decades and is never 0.
	scale Scale
	of    func(*results.Run, *results.Total) (value float64, known bool)
}

// metrics are what Over draws, each in a chart of its own.
func metrics() []metric {
	quantile := func(q float64) func(*results.Run, *results.Total) (float64, bool) {
		return func(r *results.Run, t *results.Total) (float64, bool) {
			ns, known := t.Quantile(q)
			return us(ns), known && !r.Saturated()
		}
	}
	figure := func(key string, per float64) func(*results.Run, *results.Total) (float64, bool) {
		return func(r *results.Run, _ *results.Total) (float64, bool) {
			if r.End == nil {
				return 0, false
			}
			v, known := r.End.After[key]
			return v / per, known
		}
	}
	return []metric{
		{"mean latency", "µs", Log, func(r *results.Run, t *results.Total) (float64, bool) {
			return t.Mean() / 1e3, !t.Empty() && !t.Missing.Has(results.NoMean) && !r.Saturated()
		}},
		{"99th percentile of the latency", "µs", Log, quantile(0.99)},
		{"largest latency", "µs", Log, func(r *results.Run, t *results.Total) (float64, bool) {
			return us(t.Max), !t.Empty() && !t.Missing.Has(results.NoMax) && !r.Saturated()
		}},
		{"CPU", "% of one CPU", Linear, figure(FigureCPU, 1)},
		{"memory", "MiB", Linear, figure(FigureMemory, 1<<20)},
		{"messages lost", "%", Linear, figure(FigureLoss, 1)},
	}
}

// A cell is one series of one run that has a place on the axis.
type cell struct {
	run    *results.Run
	total  *results.Total
	labels results.Labels
	// name is that of the curve: who, the run's label and what carried the
	// messages, and with it which messages they were.
	name, who, which string
	at               string
}

// CellLabels are the labels of a series of a transport, and what else its run's
// configuration says of the cell: other tools' files have no labels.
func CellLabels(r *results.Run, t *results.Total) results.Labels {
	labels := maps.Clone(t.Labels)
	if labels == nil {
		labels = results.Labels{}
	}
	put := func(key, value string) {
		if labels[key] == "" && value != "" {
			labels[key] = value
		}
	}
	put("transport", r.ConfigText(results.ConfigTransport))
	put("notifier", r.ConfigText(results.ConfigNotifier))
	put("scope", r.ConfigText("scope"))
	for label, key := range map[string]string{"size": results.ConfigSize, "rate": results.ConfigRate} {
		if n, ok := r.ConfigInt(key); ok {
			put(label, strconv.FormatInt(n, 10))
		}
		if v := labels[label]; v != "" {
			labels[label] = canonical(label, v)
		}
	}
	return labels
}

// Over shows the figures of cells over one label of their series, "size" or
// "rate": latency, CPU, memory and loss, a chart each. Series that agree in
// their run's label and all other labels make one curve; where several runs
// measured one point, it is their median. Of series labelled by what they
// measured only those of what are taken. Cells that did not reach their rate
// have no latency. Metrics that no cell knows are left out, and so are all when
// no series has the label.
func Over(label, what string, runs ...*results.Run) []Chart {
	cells := cellsOf(label, what, runs)
	axis, curves := categories(label, cells)
	var charts []Chart
	for _, m := range metrics() {
		chart := Chart{Kind: Kind(label), Title: m.what + " over " + label, X: axis}
		chart.Y = Axis{Title: m.what + " (" + m.unit + ")", Scale: m.scale}
		for _, c := range curves {
			for k, at := range axis.Names {
				if v, known := medianOf(m, cells, c.Name, at); known {
					c.X, c.Y = append(c.X, float64(k)), append(c.Y, v)
				}
			}
			if len(c.X) > 0 {
				chart.Curves = append(chart.Curves, c)
			}
		}
		chart.dropPoints(cells)
		if len(chart.Curves) > 0 {
			chart.Y.Min, chart.Y.Max = valueRange(m.scale, chart.Curves)
			charts = append(charts, chart)
		}
	}
	return charts
}

// dropPoints leaves out curves of one point, which tell nothing over the axis,
// unless another of more points shows the same messages.
func (c *Chart) dropPoints(cells []cell) {
	which := map[string]string{} // by the curve's name
	for i := range cells {
		which[cells[i].name] = cells[i].which
	}
	most := map[string]int{}
	longest := 0
	for i := range c.Curves {
		n := len(c.Curves[i].X)
		longest = max(longest, n)
		most[which[c.Curves[i].Name]] = max(most[which[c.Curves[i].Name]], n)
	}
	all := len(c.Curves)
	c.Curves = slices.DeleteFunc(c.Curves, func(k Curve) bool { return longest > 1 && most[which[k.Name]] == 1 })
	if n := all - len(c.Curves); n > 0 {
		c.Notes = append(c.Notes, "not shown: "+results.Counted(n, "single point"))
	}
}

// cellsOf finds the series that carry the label and names their curves by what
// differs among them.
func cellsOf(label, what string, runs []*results.Run) (cells []cell) {
	values := map[string]map[string]bool{}
	note := func(key, value string) {
		if values[key] == nil {
			values[key] = map[string]bool{}
		}
		values[key][value] = true
	}
	for _, r := range runs {
		totals := r.Totals()
		for i := range totals {
			t := &totals[i]
			labels := CellLabels(r, t)
			if labels[label] == "" || labels["what"] != "" && labels["what"] != what {
				continue
			}
			cells = append(cells, cell{run: r, total: t, labels: labels, at: labels[label]})
			note("", r.Label)
			for k, v := range labels {
				note(k, v)
			}
		}
	}
	keys := []string{"", "transport", "notifier", "scope", "size", "rate"}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	for i := range cells {
		c := &cells[i]
		var who, which []string
		for _, k := range keys {
			v, ok := c.labels[k]
			switch {
			case k == label || k == "what" || len(values[k]) < 2:
			case k == "":
				who = append(who, c.run.Label)
			case !ok:
			case k == "rate":
				which = append(which, v+" Hz")
			case k == "subscriber" || k == "subscribers":
				which = append(which, k+" "+v)
			case k == "size":
				which = append(which, v)
			default:
				who = append(who, v)
			}
		}
		c.who, c.which = strings.Join(who, ", "), strings.Join(which, ", ")
		if c.name = strings.Join(append(who, which...), ", "); c.name == "" {
			c.name = c.run.Label
		}
	}
	return cells
}

// medianOf is the metric's median over the cells of one curve at one place.
func medianOf(m metric, cells []cell, name, at string) (float64, bool) {
	var values []float64
	for _, c := range cells {
		if c.name == name && c.at == at {
			if v, known := m.of(c.run, c.total); known {
				values = append(values, v)
			}
		}
	}
	v, err := stats.Median(values)
	return v, err == nil
}

// valueRange is the range of an axis that shows all of the curves: from 0, or
// logarithmic.
func valueRange(scale Scale, curves []Curve) (lo, hi float64) {
	lo, hi = curves[0].Y[0], curves[0].Y[0]
	for _, c := range curves {
		lo, hi = min(lo, slices.Min(c.Y)), max(hi, slices.Max(c.Y))
	}
	if scale == Log {
		return logRange(lo, hi)
	}
	if hi == 0 {
		return 0, 1
	}
	return 0, 1.1 * hi
}
