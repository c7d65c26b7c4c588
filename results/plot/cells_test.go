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

// TestOverShowsNoLatencyOfAMissedRate leaves a saturated cell its CPU only.
func TestOverShowsNoLatencyOfAMissedRate(t *testing.T) {
	runs := []*results.Run{
		cellRun("here", "tcp", "1K", "100", 20, 3), cellRun("here", "tcp", "1M", "100", 40, 7), cellRun("here", "tcp", "10M", "100", 9000, 80),
	}
	runs[2].End.After["saturated"] = 1
	points := map[string]int{}
	for _, c := range plot.Over("size", "service", runs...) {
		points[c.Title] = len(c.Curves[0].X)
	}
	for title, want := range map[string]int{"mean latency over size": 2, "largest latency over size": 2, "CPU over size": 3} {
		if points[title] != want {
			t.Errorf("%s has %d points, want %d", title, points[title], want)
		}
	}
}

// TestOverKeepsComparablePoints: a single point stays where another curve shows
// the same messages, and goes where none does. A colour is who, a dash is what.
func TestOverKeepsComparablePoints(t *testing.T) {
	c := plot.Over("size", "service",
		cellRun("here", "shm", "1K", "100", 20, 3), cellRun("here", "shm", "1M", "100", 21, 3),
		cellRun("here", "shm", "1K", "10", 20, 3), cellRun("here", "shm", "1M", "10", 21, 3),
		cellRun("here", "shm", "1M", "50", 20, 3), cellRun("report", "cyberrt", "1M", "100", 80, 9))[0]
	var names []string
	for _, k := range c.Curves {
		names = append(names, k.Name)
	}
	if want := []string{"here, shm, 100 Hz", "here, shm, 10 Hz", "report, cyberrt, 100 Hz"}; !slices.Equal(names, want) {
		t.Fatalf("curves %q, want %q", names, want)
	}
	a, b, other := c.Curves[0], c.Curves[1], c.Curves[2]
	if a.Color != b.Color || slices.Equal(a.Dash, b.Dash) {
		t.Errorf("two rates of one transport have %s %v and %s %v", a.Color, a.Dash, b.Color, b.Dash)
	}
	if other.Color == a.Color || !slices.Equal(a.Dash, other.Dash) {
		t.Errorf("two transports at one rate have %s %v and %s %v", a.Color, a.Dash, other.Color, other.Dash)
	}
	if want := []string{"not shown: 1 single point"}; !slices.Equal(c.Notes, want) {
		t.Errorf("notes %q, want %q", c.Notes, want)
	}
}
