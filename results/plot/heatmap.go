package plot

import (
	"fmt"

	"worstcase/results"
)

// Heatmap shows when which latencies occurred: one chart a run, all its series
// together, and all charts with one latency axis. Columns are those of the
// runs, in their order, nil where there are none. A run whose intervals have no histograms, as in other
// tools' files, gives an empty chart.
func Heatmap(runs []*results.Run, columns []*Columns) []Chart {
	var traces []trace
	for _, r := range runs {
		traces = append(traces, split(r, 1)...)
	}
	lo, hi := span(traces)
	y := latencyAxis(lo, hi)
	grids := map[*results.Run]grid{}
	for i, g := range gridsOf(traces) {
		grids[traces[i].run] = g
	}
	names := RunNames(runs)
	charts := make([]Chart, len(runs))
	for i, r := range runs {
		c := columns[i]
		var edges []int64
		if g, ok := grids[r]; ok {
			edges = bins(g, lo, hi, y.Scale, maxBins)
		}
		if c == nil {
			c = new(Columns)
		}
		charts[i] = Chart{
			Kind: KindHeatmap, Title: r.Tool + ": samples over time, " + names[i],
			X:     Axis{Title: "time since the start", Scale: Elapsed, Max: max(1, duration(runs[i:i+1]), float64(len(c.sums))*float64(c.seconds()))},
			Y:     y,
			Grid:  c.grid(edges),
			Notes: []string{fmt.Sprintf("a column is %s wide", seconds(float64(c.seconds())))},
		}
		if c.without > 0 {
			charts[i].Notes = append(charts[i].Notes, fmt.Sprintf("%d of %d intervals have no histogram and are not shown", c.without, c.all))
		}
	}
	return charts
}

// grid counts the samples by time and latency. Three bins of a histogram make
// one row.
func (c *Columns) grid(edges []int64) *Grid {
	const rows = 3
	g := &Grid{Unit: "samples"}
	if len(edges) < 2 || len(c.sums) == 0 {
		return g
	}
	for i := 0; i < len(edges)-1; i += rows {
		g.Y = append(g.Y, us(edges[i]))
		g.Counts = append(g.Counts, make([]int64, len(c.sums)))
	}
	g.Y = append(g.Y, us(edges[len(edges)-1]))
	for i := range len(c.sums) + 1 {
		g.X = append(g.X, float64(int64(i)*c.seconds()))
	}
	for column := range c.sums {
		for b := range c.sums[column].All() {
			g.Counts[binOf(edges, middle(b))/rows][column] += b.Count
		}
	}
	return g
}
