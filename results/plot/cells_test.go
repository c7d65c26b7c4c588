package plot_test

import (
	"slices"
	"testing"

	"worstcase/results"
	"worstcase/results/plot"
)

// cellRun is a run of one cell: its service time and another series.
func cellRun(label, transport, size string, rate string, us int64, cpu float64) *results.Run {
	labels := func(what string) results.Labels {
		return results.Labels{"transport": transport, "size": size, "rate": rate, "what": what}
	}
	r := new(results.Run)
	put(r, &results.Header{Tool: "transport", Label: label, Series: []results.SeriesInfo{{ID: 0, Labels: labels("service")}, {ID: 1, Labels: labels("fill")}}})
	end := &results.End{Reason: "duration", Seconds: 1, After: results.Figures{}}
	for id, what := range []string{"service", "fill"} {
		t := results.Total{SeriesInfo: results.SeriesInfo{ID: id, Labels: labels(what)}}
		t.Histogram = new(results.Histogram)
		for k := range int64(100) {
			ns := us * (950 + k)
			t.Histogram.Record(ns)
			t.Sum += ns
		}
		t.Count, t.Min, t.Max = 100, us*950, us*1049
		end.Series = append(end.Series, t)
	}
	if cpu > 0 {
		end.After[plot.FigureCPU] = cpu
		end.After[plot.FigureMemory] = 250 << 20
		end.After[plot.FigureLoss] = float64(us) / 100
	}
	put(r, end)
	return r
}

func cellRuns() (runs []*results.Run) {
	for i, size := range []string{"10M", "16B", "1K", "64K", "1M"} {
		runs = append(runs,
			cellRun("Apollo 9.0", "shm", size, "100", 80+int64(i), 9),
			cellRun("here", "shm", size, "100", 20+int64(i), 3),
			cellRun("here", "tcp", size, "100", 40+200*int64((i+4)%5), 6+float64((i+4)%5)))
	}
	return runs
}

func TestOver(t *testing.T) {
	charts := plot.Over("size", "service", cellRuns()...)
	draw(t, "over-size", charts...)
	if len(charts) != 6 {
		t.Fatalf("%d charts, want 6", len(charts))
	}
	mean := charts[0]
	if want := []string{"16B", "1K", "64K", "1M", "10M"}; !slices.Equal(mean.X.Names, want) {
		t.Errorf("sizes %v, want %v", mean.X.Names, want)
	}
	if len(mean.Curves) != 3 || mean.Curves[0].Name != "Apollo 9.0, shm" {
		t.Errorf("curves %v", mean.Curves)
	}
	if y := mean.Curves[0].Y[4]; y < 79 || y > 81 {
		t.Errorf("mean of 10M is %v us, want 80", y)
	}
	if charts := plot.Over("size", "service", made{label: "x", cpus: 1, seconds: 1, rate: 10, base: 4000}.run()); charts != nil {
		t.Errorf("charts of series without a size: %v", charts)
	}
	if charts := plot.Over("rate", "service"); charts != nil {
		t.Errorf("charts of no runs: %v", charts)
	}
}

func TestOverLeavesOutWhatNobodyKnows(t *testing.T) {
	run := cellRun("a", "shm", "16B", "100", 50, 0)
	run.End.Series[0].Histogram = nil
	var titles []string
	for _, c := range plot.Over("rate", "service", run) {
		titles = append(titles, c.Y.Title)
	}
	if want := []string{"mean latency (µs)", "largest latency (µs)"}; !slices.Equal(titles, want) {
		t.Errorf("charts %q, want %q", titles, want)
	}
}

// TestOverTakesImportedCells draws a cell of another tool's file, which has no
// labels, beside ours.
func TestOverTakesImportedCells(t *testing.T) {
	imported := new(results.Run)
	put(imported, &results.Header{Tool: "transport", Label: "report", Config: map[string]any{
		results.ConfigTransport: "cyberrt", results.ConfigSize: 65536.0, results.ConfigRate: 10, "scope": "cross-process",
	}, Series: []results.SeriesInfo{{Labels: results.Labels{"what": "service"}}}})
	put(imported, &results.End{Series: []results.Total{{
		SeriesInfo: results.SeriesInfo{Labels: results.Labels{"what": "service"}},
		Tally:      results.Tally{Average: 84600, Missing: results.NoCount | results.NoMin | results.NoMax | results.NoPercentiles},
	}}, After: results.Figures{plot.FigureCPU: 9.14}})
	charts := plot.Over("size", "service", imported, cellRun("here", "shm", "64K", "10", 20, 3), cellRun("here", "tcp", "64K", "10", 22, 3))
	mean := charts[0]
	if want := []string{"64K"}; !slices.Equal(mean.X.Names, want) {
		t.Errorf("sizes %q, want %q", mean.X.Names, want)
	}
	if c := mean.Curves[0]; c.Name != "report, cyberrt" || len(c.Y) != 1 || c.Y[0] != 84.6 {
		t.Errorf("the imported curve is %q %v", c.Name, c.Y)
	}
	if len(charts[1].Curves) != 2 {
		t.Errorf("a percentile that nobody knows is drawn: %v", charts[1].Curves)
	}
}
