package plot

import (
	"math"

	"worstcase/results"
)

// Percentile shows which latency was not exceeded by which share of the
// samples, on HdrHistogram's scale: the logarithm of 1/(1-q), on which each
// further nine takes the same room. A curve ends where its run has no more to
// say: at 1 - 1/n for n samples, with the maximum. Between the last percentile
// that is known and the maximum there is a gap where samples lay above the
// histogram's range, or were dropped.
func Percentile(runs ...*results.Run) Chart {
	traces := tracesOf(runs)
	lo, hi := span(traces)
	chart := Chart{
		Kind: KindPercentile, Title: title("percentiles", runs),
		X:     Axis{Title: "samples at or below (%)", Scale: Share, Min: 1, Max: 10},
		Y:     latencyAxis(lo, hi).fromZero(),
		Notes: loss(traces),
	}
	for i := range traces {
		t := &traces[i]
		c := t.curve(Line)
		c.X, c.Y = quantiles(&t.total)
		if len(c.X) == 0 {
			chart.Curves = append(chart.Curves, c)
			continue
		}
		end := len(c.X) - 1
		c.Mark = &Mark{X: c.X[end], Y: c.Y[end], Text: "max " + micros(float64(t.total.Max))}
		chart.X.Max = max(chart.X.Max, 1.3*c.X[end])
		chart.Curves = append(chart.Curves, c)
	}
	if len(traces) > 0 && empty(&chart) {
		chart.Notes = append(chart.Notes, "no histogram recorded: the percentiles are unknown")
	}
	return chart
}

// quantiles returns 1/(1-q) and the latency in us at or below which the share q
// lies, from the minimum to the maximum, at most sixty points a decade, NaN
// before a maximum that doesn't follow on the percentile before; nothing without
// a histogram.
func quantiles(t *results.Tally) (x, y Values) {
	put := func(above, value float64) { x, y = append(x, above), append(y, value) }
	h := t.Histogram
	if h == nil {
		return nil, nil
	}
	put(1, us(t.Min))
	n := float64(h.Count())
	below, slot := h.Underflow(), -1
	for b := range h.All() {
		below += b.Count
		if float64(below) >= n {
			break
		}
		above := n / (n - float64(below))
		at := int(60 * math.Log10(above))
		if at == slot {
			x[len(x)-1], y[len(y)-1] = above, us(b.High)
			continue
		}
		slot = at
		put(above, us(b.High))
	}
	if h.Overflow() > 1 || t.Unrecorded > 0 { // one above the range is the maximum
		put(x[len(x)-1], math.NaN())
	}
	put(float64(max(1, t.Samples())), us(t.Max))
	return x, y
}
