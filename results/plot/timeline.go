package plot

import (
	"fmt"
	"math"

	"worstcase/results"
)

// Time shows the largest latency of each stretch of a run; of a single series
// also the smallest, as the lower edge of a band, and the mean. A stretch is a
// second, or as many as make it fit: a long run loses no maximum. Stretches
// without samples are gaps.
func Time(runs ...*results.Run) Chart {
	traces := tracesOf(runs)
	lo, hi := span(traces)
	step := stretch(runs)
	chart := Chart{
		Kind: KindTime, Title: title("largest latency over time", runs),
		X: Axis{Title: "time since the start", Scale: Elapsed, Max: max(duration(runs), step)},
	}
	least := hi
	for i := range traces {
		t := &traces[i]
		var mean []Curve
		all := fold(t, step)
		c := t.curve(Line)
		c.X, c.Y = all.at, all.max
		if len(all.at) > 0 && !t.total.Missing.Has(results.NoMaxAt) {
			c.Mark = &Mark{X: (math.Floor(float64(t.total.MaxAt)/1e9/step) + 0.5) * step, Y: us(t.total.Max), Text: "max " + micros(float64(t.total.Max))}
		}
		for _, y := range all.max {
			if !math.IsNaN(y) {
				least = min(least, int64(1e3*y))
			}
		}
		if len(traces) == 1 {
			least = lo
			c.Low = all.min
			mean = append(mean, Curve{Name: "mean", Note: micros(t.total.Mean()), Style: Line, Color: colour(1), X: all.at, Y: all.mean})
			chart.Notes = append(chart.Notes, fmt.Sprintf("band: from the smallest to the largest latency in %s", seconds(step)))
		}
		chart.Curves = append(append(chart.Curves, c), mean...)
	}
	chart.Y = latencyAxis(least, hi).fromZero()
	switch {
	case len(traces) > 0 && empty(&chart):
		chart.Notes = []string{"nothing recorded by time: only the totals are known"}
	case len(traces) > 1:
		chart.Notes = append(chart.Notes, fmt.Sprintf("a point is the largest latency in %s", seconds(step)))
	}
	return chart
}

// duration of the longest run, in seconds.
func duration(runs []*results.Run) float64 {
	var d int64
	for _, r := range runs {
		for i := range r.Intervals {
			d = max(d, r.Intervals[i].At)
		}
	}
	return float64(d) / 1e9
}

// stretch is how many seconds become one point of a curve over time.
func stretch(runs []*results.Run) float64 {
	least := duration(runs) / (2 * maxBins)
	for _, s := range []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 6 * 3600} {
		if s >= least {
			return s
		}
	}
	return 86400 * math.Ceil(least/86400)
}

// seconds names a stretch.
func seconds(s float64) string {
	switch {
	case s < 60:
		return number(s) + " s"
	case s < 3600:
		return number(s/60) + " min"
	}
	return number(s/3600) + " h"
}

// A folded trace has one value a stretch: times in s, latencies in us, NaN
// where the stretch has no sample.
type folded struct{ at, min, mean, max Values }

// fold gathers the intervals of a trace into stretches of step seconds.
func fold(t *trace, step float64) folded {
	n := int(math.Ceil(duration([]*results.Run{t.run})/step - 1e-9))
	sums := make([]results.Tally, n)
	for i := range t.run.Intervals {
		v := &t.run.Intervals[i]
		if t.series[v.Series] && !v.Empty() {
			tally := v.Tally
			tally.Histogram = nil
			sums[stretchOf(v, step, n)].Add(&tally)
		}
	}
	f := folded{make(Values, n), make(Values, n), make(Values, n), make(Values, n)}
	for i := range sums {
		f.at[i] = (float64(i) + 0.5) * step
		f.min[i], f.mean[i], f.max[i] = math.NaN(), math.NaN(), math.NaN()
		s := &sums[i]
		if s.Empty() {
			continue
		}
		// An imported file may tell a second's figures, and not how many samples.
		if !s.Missing.Has(results.NoMin) {
			f.min[i] = us(s.Min)
		}
		if !s.Missing.Has(results.NoMean) {
			f.mean[i] = s.Mean() / 1e3
		}
		if !s.Missing.Has(results.NoMax) {
			f.max[i] = us(s.Max)
		}
	}
	return f
}

// stretchOf returns in which of n stretches the middle of an interval lies.
func stretchOf(v *results.Interval, step float64, n int) int {
	middle := float64(v.At)/1e9 - v.Seconds/2
	return min(max(int(middle/step), 0), n-1)
}
