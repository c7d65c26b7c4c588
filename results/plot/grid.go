package plot

import (
	"slices"

	"worstcase/results"
)

// A grid says what samples resolve, in ns: the edges between them are at base
// and every step from it.
type grid struct{ step, base int64 }

// edge is the last edge at or below ns.
func (g grid) edge(ns int64) int64 {
	k := (ns - g.base) / g.step
	if ns-g.base < k*g.step {
		k--
	}
	return k*g.step + g.base
}

// gridsOf are the grids of traces: one of them all where there is one, else one of
// each run.
func gridsOf(traces []trace) []grid {
	grids := make([]grid, len(traces))
	all := resolution(traces)
	for i := 0; i < len(traces); {
		n := i + 1
		for n < len(traces) && traces[n].run == traces[i].run {
			n++
		}
		g := all
		if g.step == 1 {
			g = resolution(traces[i:n])
		}
		for ; i < n; i++ {
			grids[i] = g
		}
	}
	return grids
}

// resolution finds out what the samples resolve. Other tools' histograms have
// cells of a us and more, told by their values or by their middles: bins must
// lie around these, and not between. A grid is believed where nine of ten
// buckets far narrower than its step hold one of its values, and at least four
// of its values occur.
func resolution(traces []trace) grid {
	var buckets []results.Bucket
	for _, t := range traces {
		if t.total.Histogram != nil {
			buckets = slices.AppendSeq(buckets, t.total.Histogram.All())
		}
	}
	for _, step := range []int64{100_000, 50_000, 25_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500} {
		for _, b := range buckets[:min(len(buckets), 4)] {
			offset := middle(b) % step
			if b.High%step < b.Low%step || b.Low%step == 0 {
				offset = 0
			}
			if onGrid(buckets, grid{step, offset}) {
				return grid{step, (offset + step/2) % step}
			}
		}
	}
	return grid{1, 0}
}

// onGrid tells whether buckets lie on the values of a grid.
func onGrid(buckets []results.Bucket, g grid) bool {
	values := map[int64]bool{}
	on, off := 0, 0
	for _, b := range buckets {
		value := g.edge(b.High)
		switch {
		case b.High-b.Low >= g.step/20:
		case value >= b.Low:
			values[value] = true
			on++
		default:
			off++
		}
	}
	return len(values) >= 4 && off <= on/9
}
