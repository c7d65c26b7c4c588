package plot_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
	"worstcase/results/plot"
)

// samples counts what the steps of a histogram stand for.
func samples(c *plot.Curve) (n float64) {
	for i := range len(c.X) - 1 {
		n += c.Y[i] * (c.X[i+1] - c.X[i])
	}
	return n
}

func TestHistogramHoldsEverySample(t *testing.T) {
	for _, spike := range []int64{0, 1_043_000, 3_000_000_000} {
		run := made{label: "a", cpus: 2, seconds: 3, rate: 3000, base: 4000, seed: 1, spike: spike}.run()
		chart := plot.Histogram(run)
		if len(chart.Curves) != 2 {
			t.Fatalf("%d curves, want one a CPU", len(chart.Curves))
		}
		for i := range chart.Curves {
			c := &chart.Curves[i]
			if got := samples(c); math.Abs(got-9000) > 0.5 {
				t.Errorf("spike %d, %s: the steps hold %v samples, want 9000", spike, c.Name, got)
			}
			total := run.Totals()[i]
			if c.Mark.X != float64(total.Max)/1e3 {
				t.Errorf("the mark is at %v us, the maximum at %d ns", c.Mark.X, total.Max)
			}
			if c.Mark.X < chart.X.Min || c.Mark.X > chart.X.Max || c.Mark.Y < chart.Y.Min || c.Mark.Y > chart.Y.Max {
				t.Errorf("the mark %v lies outside the axes", c.Mark)
			}
		}
	}
}

// whole is a run of one series with the given samples, in us.
func whole(label string, us ...int64) *results.Run {
	r := new(results.Run)
	put(r, &results.Header{Tool: "latency", Label: label, Series: []results.SeriesInfo{{ID: 0}}})
	v := results.Interval{At: 1e9, Seconds: 1}
	v.Histogram = new(results.Histogram)
	for _, x := range us {
		v.Histogram.Record(x * 1000)
		v.Count++
		v.Sum += x * 1000
	}
	if len(us) > 0 {
		v.Min, v.Max = slices.Min(us)*1000, slices.Max(us)*1000
	}
	put(r, &v)
	return r
}

func TestHistogramOfWholeMicroseconds(t *testing.T) {
	chart := plot.Histogram(whole("a", 3, 4, 4, 5, 5, 5, 6, 7, 9))
	c := chart.Curves[0]
	want := map[float64]float64{2.5: 1, 3.5: 2, 4.5: 3, 5.5: 1, 6.5: 1, 8.5: 1}
	got := map[float64]float64{}
	for i, y := range c.Y {
		if y > 0 {
			got[c.X[i]] = y
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples per us by left edge (-want +got):\n%s", diff)
	}
}

func TestHistogramOfCells(t *testing.T) {
	for _, c := range []struct {
		name        string
		step, first int64 // ns
	}{
		{"whole us", 1000, 0}, {"middles of a us", 1000, 4500}, {"25 us", 25_000, 0}, {"middles of 25 us", 25_000, 12_500}, {"middles of 25 whole us", 25_000, 12_000}, {"ns", 1, 3456},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := whole(c.name)
			v := results.Interval{At: 2e9, Seconds: 1}
			v.Histogram = new(results.Histogram)
			for k := range int64(40) {
				v.Histogram.RecordN(c.first+k*c.step, 7)
				v.Count += 7
			}
			v.Min, v.Max = c.first, c.first+39*c.step
			put(r, &v)
			chart := plot.Histogram(r)
			if got := samples(&chart.Curves[0]); math.Abs(got-280) > 1e-6 {
				t.Errorf("the steps hold %v samples, want 280", got)
			}
			began, ended := false, false
			for _, y := range chart.Curves[0].Y {
				ended = ended || began && y == 0
				began = began || y > 0
				if ended && y > 0 {
					t.Fatalf("there are gaps between cells: %v", chart.Curves[0].Y)
				}
			}
		})
	}
}

func TestPercentileEndsWithItsRun(t *testing.T) {
	run := made{label: "a", cpus: 1, seconds: 4, rate: 2500, base: 4000, seed: 1}.run()
	c := plot.Percentile(run).Curves[0]
	total := run.Totals()[0]
	last := len(c.X) - 1
	if c.X[last] != 10000 || c.Y[last] != float64(total.Max)/1e3 {
		t.Errorf("the curve ends at 1/(1-q) = %v with %v us; want 10000 samples and %d ns", c.X[last], c.Y[last], total.Max)
	}
	if !slices.IsSorted(c.X) || !slices.IsSorted(c.Y) {
		t.Error("the curve falls")
	}
	for i, x := range c.X[1:last] {
		q := 1 - 1/x
		if ns, _ := total.Quantile(q - 1e-9); math.Abs(float64(ns)/1e3-c.Y[i+1]) > 0.01*c.Y[i+1] {
			t.Errorf("quantile %v is %d ns, the curve shows %v us", q, ns, c.Y[i+1])
		}
	}
}

func TestTimeLosesNoMaximum(t *testing.T) {
	run := made{label: "a", cpus: 1, seconds: 7200, rate: 2, base: 4000, seed: 1, spike: 900_000}.run()
	chart := plot.Time(run)
	c := chart.Curves[0]
	if len(c.X) > 500 {
		t.Errorf("%d points", len(c.X))
	}
	if got := slices.Max(c.Y); got != 900 {
		t.Errorf("largest point %v us, want 900", got)
	}
	if i := slices.Index(c.Y, 900); c.X[i] != c.Mark.X {
		t.Errorf("the mark is at %v s, the maximum's point at %v s", c.Mark.X, c.X[i])
	}
}

func TestTimeHasGaps(t *testing.T) {
	run := whole("a", 5, 6)
	for s := int64(2); s < 9; s++ {
		v := results.Interval{At: s * 1e9, Seconds: 1}
		if s > 5 {
			v.Count, v.Min, v.Max, v.Sum = 1, 7000, 7000, 7000
		}
		put(run, &v)
	}
	var got []bool
	for _, y := range plot.Time(run).Curves[0].Y {
		got = append(got, !math.IsNaN(y))
	}
	if diff := cmp.Diff([]bool{true, false, false, false, false, true, true, true}, got); diff != "" {
		t.Errorf("seconds with a point (-want +got):\n%s", diff)
	}
}

func TestHeatmapHoldsEverySample(t *testing.T) {
	for _, seconds := range []int{1, 10, 481, 5000} {
		run, columns := made{label: "a", cpus: 2, seconds: seconds, rate: 4, base: 4000, seed: 1, spike: 900_000}.both()
		chart := plot.Heatmap([]*results.Run{run}, []*plot.Columns{columns})[0]
		var n int64
		for _, row := range chart.Grid.Counts {
			for _, k := range row {
				n += k
			}
		}
		if want := int64(seconds * 8); n != want {
			t.Errorf("%d s: %d samples in the grid, want %d", seconds, n, want)
		}
		if last := chart.Grid.X[len(chart.Grid.X)-1]; last < float64(seconds) || len(chart.Grid.X) > 481 {
			t.Errorf("%d s: %d columns end at %v s", seconds, len(chart.Grid.X)-1, last)
		}
	}
}

func TestCurvesAreToldApart(t *testing.T) {
	looks := func(runs ...*results.Run) (list []string) {
		for _, c := range plot.Histogram(runs...).Curves {
			dash, _ := json.Marshal(c.Dash)
			list = append(list, c.Name+" "+c.Color+" "+string(dash))
		}
		return list
	}
	cpus := made{label: "a", cpus: 2, seconds: 1, rate: 10, base: 4000}.run()
	for _, c := range []struct {
		name string
		runs []*results.Run
		want []string
	}{
		{"a colour for each series of one run", []*results.Run{cpus}, []string{"CPU0 #0072b2 null", "CPU1 #d55e00 null"}},
		{"runs of one label are numbered", []*results.Run{whole("a", 5), whole("a", 6)}, []string{"a #1 #0072b2 null", "a #2 #d55e00 null"}},
		{"a colour for each of several labels", []*results.Run{whole("a", 5), whole("b", 6), whole("a", 5)}, []string{"a #0072b2 null", "b #d55e00 null", "a #0072b2 null"}},
		{"cells of one label are told apart by what they are", []*results.Run{
			cellRun("a", "shm", "16B", "100", 5, 0), cellRun("a", "shm", "64K", "100", 6, 0),
		}, []string{
			"a, 16B, service #0072b2 null", "a, 16B, fill #0072b2 [7,3]", "a, 64K, service #d55e00 null", "a, 64K, fill #d55e00 [7,3]",
		}},
		{"a dash for each series of several runs", []*results.Run{whole("b", 5), cpus}, []string{"b #0072b2 null", "a, CPU0 #d55e00 null", "a, CPU1 #d55e00 [7,3]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, looks(c.runs...)); diff != "" {
				t.Errorf("curves (-want +got):\n%s", diff)
			}
		})
	}
	many := looks(made{label: "a", cpus: 64, seconds: 2, rate: 10, base: 4000}.run())
	if len(many) != 8 || !strings.HasPrefix(many[7], "57 others #8a8a8a") {
		t.Errorf("curves of 64 series: %q", many)
	}
	slices.Sort(many)
	if len(slices.Compact(many)) != 8 {
		t.Error("two of the curves look alike")
	}
}

func TestUnknownFigures(t *testing.T) {
	run := new(results.Run)
	put(run, &results.Header{Tool: "latency", Label: "2005"})
	end := &results.End{Series: []results.Total{{Tally: results.Tally{Min: 3000, Max: 19147, Average: 5974, Missing: results.NoCount | results.NoPercentiles | results.NoMaxAt}}, {SeriesInfo: results.SeriesInfo{ID: 1}}}}
	put(run, end)
	runs := []*results.Run{run}
	draw(t, "unknown-histogram", plot.Histogram(run))
	draw(t, "unknown-percentile", plot.Percentile(run))
	draw(t, "unknown-time", plot.Time(run))
	draw(t, "unknown-heatmap", plot.Heatmap(runs, make([]*plot.Columns, 1))...)
	if note := plot.Histogram(run).Curves[0].Note; note != "max 19.15 µs" {
		t.Errorf("note %q", note)
	}
}

func TestValuesJSON(t *testing.T) {
	in := plot.Values{1, math.NaN(), 0.123456789, 1e12}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), "[1,null,0.1234568,1e+12]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var out plot.Values
	if err := json.Unmarshal(text, &out); err != nil || len(out) != 4 || !math.IsNaN(out[1]) {
		t.Errorf("read back %v, %v", out, err)
	}
}

func TestWriteRefusesOtherFormats(t *testing.T) {
	if err := plot.Write(&strings.Builder{}, "gif"); err == nil {
		t.Error("a gif was written")
	}
}
