package plot_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"worstcase/results"
	"worstcase/results/plot"
)

// cells is a run whose histogram has cells of step ns from first on, filled
// with n samples each, and more samples above, the largest at most.
func cells(label string, step, first, n, more, most int64) *results.Run {
	r := whole(label)
	v := results.Interval{At: 2e9, Seconds: 1}
	v.Histogram = new(results.Histogram)
	for k := range int64(40) {
		v.Histogram.RecordN(first+k*step, n)
	}
	v.Histogram.RecordN(results.Highest+1, more)
	v.Count, v.Min, v.Max = 40*n+more, first, most
	put(r, &v)
	return r
}

// TestHistogramOfMixedCells overlays runs of 1 us cells, 25 us cells and exact
// samples: none of them has gaps between its own cells.
func TestHistogramOfMixedCells(t *testing.T) {
	exact := made{label: "exact", cpus: 1, seconds: 2, rate: 5000, base: 4000, seed: 1}.run()
	chart := plot.Histogram(cells("one", 1000, 4000, 7, 0, 43_000), cells("coarse", 25_000, 25_000, 7, 0, 1_000_000), exact)
	for i, want := range []float64{280, 280, 10000} {
		c := &chart.Curves[i]
		if got := samples(c); math.Abs(got-want) > 0.5 {
			t.Errorf("%s: the steps hold %v samples, want %v", c.Name, got, want)
		}
		first := slices.IndexFunc(c.Y, func(y float64) bool { return y > 0 })
		gap := first + slices.Index(c.Y[first:], 0)
		if rest := slices.Max(c.Y[gap:]); rest > 0 && c.Name != "exact" {
			t.Errorf("%s: there are gaps between cells: %v", c.Name, c.Y)
		}
	}
	var bins int
	for _, n := range chart.Notes {
		if strings.Contains(n, ": bins from ") {
			bins++
		}
	}
	if bins != 3 {
		t.Errorf("notes %q: want the bins of three runs", chart.Notes)
	}
}

// TestPercentileLeavesOutWhatNobodyKnows checks that no line crosses the stretch
// of samples above the histogram's range. One sample above is the maximum.
func TestPercentileLeavesOutWhatNobodyKnows(t *testing.T) {
	for _, c := range []struct {
		more int64
		gap  bool
	}{{0, false}, {1, false}, {2, true}, {100, true}} {
		curve := plot.Percentile(cells("a", 1000, 4000, 10, c.more, 2_000_000)).Curves[0]
		last := len(curve.X) - 1
		if got := math.IsNaN(curve.Y[last-1]); got != c.gap || curve.Y[last] != 2000 {
			t.Errorf("%d samples above: the curve ends with %v", c.more, curve.Y[last-1:])
		}
	}
	dropped := cells("a", 1000, 4000, 10, 0, 43_000)
	put(dropped, &results.Interval{At: 3e9, Seconds: 1, Tally: results.Tally{Unrecorded: 5, Min: 4000, Max: 90_000}})
	curve := plot.Percentile(dropped).Curves[0]
	if last := len(curve.X) - 1; !math.IsNaN(curve.Y[last-1]) || curve.Y[last] != 90 {
		t.Errorf("5 samples dropped: the curve ends with %v", curve.Y[last-1:])
	}
}

// TestPercentileLabelsHaveRoom estimates the labels' widths on a picture.
func TestPercentileLabelsHaveRoom(t *testing.T) {
	for decades := 1; decades <= 12; decades++ {
		axis := plot.Axis{Scale: plot.Share, Min: 1, Max: 1.3 * math.Pow10(decades)}
		end, labels := math.Inf(-1), 0
		for _, tick := range axis.Ticks(axis.Min, axis.Max) {
			if tick.Label == "" {
				continue
			}
			at, half := 640*math.Log10(tick.Value)/math.Log10(axis.Max), 3*float64(len(tick.Label))
			if at-half < end {
				t.Errorf("%d decades: %s touches the label before it", decades, tick.Label)
			}
			end = at + half
			labels++
		}
		if labels < 3 {
			t.Errorf("%d decades: %d labels", decades, labels)
		}
	}
}
