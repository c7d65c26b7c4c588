package plot_test

import (
	"slices"
	"testing"

	"worstcase/results"
	"worstcase/results/plot"
)

// imported is a run of which a file told the figures of each second and not how
// many samples, nor a histogram.
func imported(tool string) *results.Run {
	r := new(results.Run)
	r.Keep = results.KeepFigures
	missing := results.NoCount | results.NoPercentiles | results.NoMaxAt
	put(r, &results.Header{Tool: tool, Label: tool, Series: []results.SeriesInfo{{}}})
	for s := range int64(3) {
		put(r, &results.Interval{At: (s + 1) * 1e9, Seconds: 1, Tally: results.Tally{Min: 1000, Max: 9000 + s, Average: 2000, Missing: missing}})
	}
	put(r, &results.End{Reason: results.ReasonImported, Seconds: 3, Series: []results.Total{{Tally: results.Tally{Min: 1000, Max: 9002, Average: 2000, Missing: missing}}}})
	return r
}

func TestFiguresWithoutSamples(t *testing.T) {
	c := plot.Time(imported("latency"))
	if got, want := c.Curves[0].Y, (plot.Values{9, 9.001, 9.002}); !slices.Equal(got, want) {
		t.Errorf("largest of each second %v, want %v", got, want)
	}
	if got, want := c.Curves[1].Y, (plot.Values{2, 2, 2}); !slices.Equal(got, want) {
		t.Errorf("means %v, want %v", got, want)
	}
	h := plot.Histogram(imported("latency"), imported("klatency"))
	if want := []string{"no histogram recorded: only the maxima are marked"}; !slices.Equal(h.Notes, want) {
		t.Errorf("notes %q, want %q", h.Notes, want)
	}
	if want := "histogram of 2 runs of several tools"; h.Title != want {
		t.Errorf("title %q, want %q", h.Title, want)
	}
}
