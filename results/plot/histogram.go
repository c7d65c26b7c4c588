package plot

import (
	"fmt"
	"math"
	"sort"

	"worstcase/results"
)

// columns is about how many bins a histogram and how many points a curve over
// time has: no more than a picture can show.
const columns = 240

// Histogram shows how often each latency occurred, as a density: samples in a
// bin by the bin's width, since bins, and the buckets of an HdrHistogram under
// them, are not all equally wide. The y axis is logarithmic, so that a single
// late sample is seen beside millions of others; what has no sample has no
// line. The exact maximum of each curve is marked.
func Histogram(runs ...*results.Run) Chart {
	traces := tracesOf(runs)
	lo, hi := span(traces)
	chart := Chart{
		Kind: KindHistogram, Title: title("histogram", runs),
		X:     latencyAxis(lo, hi),
		Y:     Axis{Title: "samples per µs", Scale: Log, Min: 0.1, Max: 10},
		Notes: loss(traces),
	}
	edges := bins(traces, lo, hi, chart.X.Scale)
	least, most := math.Inf(1), 0.0
	for i := range traces {
		t := &traces[i]
		c := t.curve(Steps)
		last := 0
		c.X, c.Y, last = density(t.total.Histogram, edges)
		for _, y := range c.Y {
			if y > 0 {
				least, most = min(least, y), max(most, y)
			}
		}
		c.Mark = &Mark{X: us(t.total.Max), Y: c.Y[last], Text: "max " + micros(float64(t.total.Max))}
		chart.Curves = append(chart.Curves, c)
	}
	if most > 0 {
		chart.Y.Min, chart.Y.Max = logRange(least/2, most)
		chart.Notes = append(chart.Notes, binNote(edges, chart.X.Scale))
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

// bins returns the edges, in ns, of bins that hold all from lo to hi: of equal
// width, or on a logarithmic axis of equal ratio, but none narrower than what
// the samples resolve. Where that is a whole us, as in the histograms of other
// tools, bins lie around the values and not between them.
func bins(traces []trace, lo, hi int64, scale Scale) []int64 {
	if len(traces) == 0 {
		return nil
	}
	res := resolution(traces)
	half := res / 2
	if res == 1 {
		lo -= lo / 1024 // the bucket of the least sample may begin before it
	}
	if scale == Log {
		lo = max(lo, res)
	}
	ratio := math.Pow(float64(max(hi, 1))/float64(max(lo, 1)), 1.0/columns)
	width := res * max(1, int64(math.Round(roundStep(float64(hi-lo)/columns+1)/float64(res))))
	if scale != Log {
		lo = lo / width * width
	}
	edges := []int64{lo - half}
	for e := edges[0]; e <= hi; {
		next := e + width
		if scale == Log {
			next = max(e+res, (int64(float64(e)*ratio)+half)/res*res+half)
		}
		edges = append(edges, next)
		e = next
	}
	return edges
}

// resolution returns 1000 where each sample is a whole number of us as far as
// its bucket can tell, else 1, both in ns.
func resolution(traces []trace) int64 {
	narrow := 0
	for _, t := range traces {
		if t.total.Histogram == nil {
			continue
		}
		for b := range t.total.Histogram.All() {
			if b.High/1000*1000 < b.Low {
				return 1
			}
			if b.High-b.Low < 250 {
				narrow++
			}
		}
	}
	if narrow < 3 {
		return 1
	}
	return 1000
}

// binOf returns which bin holds ns. What lies outside belongs to the first or
// last bin.
func binOf(edges []int64, ns int64) int {
	i := sort.Search(len(edges), func(i int) bool { return edges[i] > ns }) - 1
	return min(max(i, 0), len(edges)-2)
}

// density puts buckets into bins by their middles, and returns the edges in us,
// the samples per us, which end with a 0, and the last bin that has samples. A
// nil histogram has none.
func density(h *results.Histogram, edges []int64) (x, y Values, last int) {
	x, y = make(Values, len(edges)), make(Values, len(edges))
	for i, e := range edges {
		x[i] = us(e)
	}
	if h == nil {
		return x, y, last
	}
	for b := range h.All() {
		last = binOf(edges, b.Low+(b.High-b.Low)/2)
		y[last] += float64(b.Count)
	}
	for i := range len(edges) - 1 {
		y[i] /= us(edges[i+1] - edges[i])
	}
	return x, y, last
}
