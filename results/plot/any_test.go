package plot_test

import (
	"io"
	"math"
	"testing"

	"pgregory.net/rapid"

	"worstcase/results"
	"worstcase/results/plot"
)

// TestAnySamples draws whatever a run can hold: nothing, one sample, negative
// ones, hours, all of them equal. No sample between 0 and an hour may be
// missing from its histogram.
func TestAnySamples(t *testing.T) {
	sample := rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(1000, 100_000), rapid.Int64Range(-1000, 5e12), rapid.Map(rapid.Int64Range(0, 3000), func(us int64) int64 { return us * 1000 }))
	rapid.Check(t, func(t *rapid.T) {
		run, columns := new(results.Run), new(plot.Columns)
		put(run, &results.Header{Tool: "latency", Series: []results.SeriesInfo{{}}})
		held := 0.0
		for s := range rapid.Int64Range(0, 3).Draw(t, "seconds") {
			v := results.Interval{At: (s + 1) * 1e9, Seconds: 1}
			v.Histogram = new(results.Histogram)
			for _, ns := range rapid.SliceOfN(sample, 0, 20).Draw(t, "samples") {
				if v.Count++; v.Count == 1 || ns < v.Min {
					v.Min = ns
				}
				if v.Count == 1 || ns > v.Max {
					v.Max, v.MaxAt = ns, s*1e9
				}
				v.Sum += ns
				v.Histogram.Record(ns)
				if ns >= 0 && ns <= results.Highest {
					held++
				}
			}
			put(run, &v)
			if err := columns.Put(&v); err != nil {
				t.Fatal(err)
			}
		}
		histogram := plot.Histogram(run)
		for i := range histogram.Curves {
			held -= samples(&histogram.Curves[i])
		}
		if math.Abs(held) > 1e-6*max(1, math.Abs(held)) {
			t.Fatalf("%v samples are missing", held)
		}
		charts := append(plot.Heatmap([]*results.Run{run}, []*plot.Columns{columns}), histogram, plot.Percentile(run), plot.Time(run))
		for _, c := range charts {
			if !(c.X.Max > c.X.Min) || !(c.Y.Max > c.Y.Min) {
				t.Fatalf("%s: the axes span %v to %v and %v to %v", c.Kind, c.X.Min, c.X.Max, c.Y.Min, c.Y.Max)
			}
		}
		if err := plot.Write(io.Discard, plot.SVG, charts...); err != nil {
			t.Fatal(err)
		}
	})
}
