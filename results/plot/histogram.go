package plot

import (
	"fmt"
	"math"
	"sort"

	"worstcase/results"
)

// maxBins is about how many bins a histogram and how many points a curve over
// time has: no more than a picture can show.
const maxBins = 240

// Histogram shows how often each latency occurred, as a density: samples in a
// bin by the bin's width, since bins, and the buckets of an HdrHistogram under
// them, are not all equally wide. The y axis is logarithmic, so that a single
// late sample is seen beside millions of others; what has no sample has no
// line. Runs whose samples are resolved otherwise have bins of their own: a bin
// narrower than a file's cells would leave gaps between them. The exact maximum
// of each curve is marked.
func Histogram(runs ...*results.Run) Chart {
	traces := tracesOf(runs)
	lo, hi := span(traces)
	chart := Chart{
		Kind: KindHistogram, Title: title("histogram", runs),
		X:     latencyAxis(lo, hi),
		Y:     Axis{Title: "samples per µs", Scale: Log, Min: 0.1, Max: 10},
		Notes: loss(traces),
	}
	grids := gridsOf(traces)
	var of, widths []string // of each grid: the first curve's name, and its bins
	noted := map[grid]bool{}
	least, most := math.Inf(1), 0.0
	for i := range traces {
		t := &traces[i]
		c := t.curve(Steps)
		edges := bins(grids[i], lo, hi, chart.X.Scale, wanted(traces))
		var last results.Bucket
		c.X, c.Y, last = density(t.total.Histogram, edges)
		for _, y := range c.Y {
			if y > 0 {
				least, most = min(least, y), max(most, y)
			}
		}
		c.Mark = &Mark{X: us(t.total.Max), Text: "max " + micros(float64(t.total.Max))}
		if t.total.Max <= last.High { // else beyond the histogram: on the floor
			c.Mark.Y = c.Y[binOf(edges, middle(last))]
		}
		chart.Curves = append(chart.Curves, c)
		if last.Count > 0 && !noted[grids[i]] {
			noted[grids[i]] = true
			of, widths = append(of, t.name), append(widths, binNote(edges, chart.X.Scale))
		}
	}
	for i, note := range widths {
		if len(widths) > 1 {
			note = of[i] + ": " + note
		}
		chart.Notes = append(chart.Notes, note)
	}
	if most > 0 {
		chart.Y.Min, chart.Y.Max = logRange(least/2, most)
	} else if len(traces) > 0 {
		chart.Notes = append(chart.Notes, "no histogram recorded: only the maxima are marked")
	}
	return chart
}

// binNote says how wide the bins are.
func binNote(edges []int64, scale Scale) string {
	n := len(edges)
	if scale == Log {
		return fmt.Sprintf("bins from %s wide at %s to %s wide at %s", micros(float64(edges[1]-edges[0])), micros(float64(edges[0])),
			micros(float64(edges[n-1]-edges[n-2])), micros(float64(edges[n-1])))
	}
	return fmt.Sprintf("bins %s wide", micros(float64(edges[1]-edges[0])))
}

// wanted is how many bins a histogram should have: the Rice rule, twice the cube
// root of the number of samples (of the trace that has most), within what a
// picture can show. Fewer samples in as many bins show noise.
func wanted(traces []trace) int {
	var n int64
	for _, t := range traces {
		n = max(n, t.total.Samples())
	}
	return min(max(int(2*math.Cbrt(float64(n))), 60), maxBins)
}

// bins returns the edges, in ns, of bins that hold all from lo to hi: about as many
// as wanted, of equal width, or on a logarithmic axis of equal ratio, but none
// narrower than what the samples resolve.
func bins(g grid, lo, hi int64, scale Scale, wanted int) []int64 {
	if g.step == 1 {
		lo -= lo / 1024 // the bucket of the least sample may begin before it
	}
	width := g.step * max(1, int64(math.Round(roundStep(float64(hi-lo)/float64(wanted)+1)/float64(g.step))))
	if scale != Log && g.step == 1 {
		lo = lo / width * width
	}
	ratio := math.Pow(float64(max(hi, 1))/float64(max(lo, 1)), 1/float64(wanted))
	edges := []int64{g.edge(lo)}
	for e := edges[0]; e <= hi; {
		next := e + width
		if scale == Log {
			next = max(e+g.step, g.edge(int64(float64(e)*ratio)))
		}
		edges = append(edges, next)
		e = next
	}
	return edges
}

// binOf returns which bin holds ns. What lies outside belongs to the first or
// last bin.
func binOf(edges []int64, ns int64) int {
	i := sort.Search(len(edges), func(i int) bool { return edges[i] > ns }) - 1
	return min(max(i, 0), len(edges)-2)
}

// middle of a bucket.
func middle(b results.Bucket) int64 { return b.Low + (b.High-b.Low)/2 }

// density puts buckets into bins by their middles, and returns the edges in us,
// the samples per us, which end with a 0, and the last bucket. A nil histogram
// has none.
func density(h *results.Histogram, edges []int64) (x, y Values, last results.Bucket) {
	x, y = make(Values, len(edges)), make(Values, len(edges))
	for i, e := range edges {
		x[i] = us(e)
	}
	if h == nil {
		return x, y, last
	}
	for last = range h.All() {
		y[binOf(edges, middle(last))] += float64(last.Count)
	}
	for i := range len(edges) - 1 {
		y[i] /= us(edges[i+1] - edges[i])
	}
	return x, y, last
}
