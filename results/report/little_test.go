package report_test

import (
	"path/filepath"
	"strings"
	"testing"

	"worstcase/results"
	"worstcase/results/plot"
	"worstcase/results/report"
)

// little are pages that hold little, and what they must say.
func little(t *testing.T) map[string]struct {
	page report.Page
	want []string
} {
	head := func(label string) *results.Header {
		return &results.Header{Tool: "latency", Label: label, Series: []results.SeriesInfo{{}}}
	}
	one := &results.Interval{At: 1e9, Seconds: 1}
	one.Histogram = new(results.Histogram)
	one.Histogram.Record(5766)
	one.Count, one.Min, one.Max, one.Sum = 1, 5766, 5766, 5766
	single := new(plot.Columns)
	if err := single.Put(one); err != nil {
		t.Fatal(err)
	}
	old := results.Tally{Min: 3000, Max: 19147, Average: 5974, Missing: results.NoCount | results.NoPercentiles | results.NoMaxAt | results.NoOverruns}
	var cells []*results.Run
	for i, size := range []string{"16B", "64K", "10M"} {
		cells = append(cells, cell(t, "shm", size, 20+int64(i)), cell(t, "tcp", size, 40+100*int64(i)))
	}
	return map[string]struct {
		page report.Page
		want []string
	}{
		"no runs":             {report.Page{Title: "nothing"}, []string{"nothing", "0 runs"}},
		"a run cut short":     {report.Page{Runs: []*results.Run{records(t, head("cut"))}}, []string{"cut short", "1 run"}},
		"seconds of nothing":  {report.Page{Runs: []*results.Run{records(t, head("idle"), &results.Interval{At: 1e9, Seconds: 1}, &results.Interval{At: 2e9, Seconds: 1})}}, []string{"idle"}},
		"a single sample":     {report.Page{Runs: []*results.Run{records(t, head("one"), one)}, Columns: []*plot.Columns{single}}, []string{"5.766"}},
		"unknown figures":     {report.Page{Runs: []*results.Run{records(t, head("2005"), &results.End{Series: []results.Total{{Tally: old}}})}}, []string{"5.974", "19.147", "<td>?</td>"}},
		"cells of transports": {report.Page{Runs: cells}, []string{"CPU over size", "messages lost over size", "<td>250.0</td>", "<td>5.50</td>", "<td>0.500</td>"}},
	}
}

func TestPageOfLittle(t *testing.T) {
	for name, c := range little(t) {
		t.Run(name, func(t *testing.T) {
			page := write(t, c.page)
			square(t, page)
			for _, want := range c.want {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
		})
	}
}

// TestPageOfLittleInBrowser looks whether a script stumbles over what is not
// there.
func TestPageOfLittleInBrowser(t *testing.T) {
	b := open(t)
	for name, c := range little(t) {
		t.Run(name, func(t *testing.T) {
			b.show(c.page)
			var drawn, wanted int
			b.eval(`document.querySelectorAll(".area canvas").length`, &drawn)
			b.eval(`JSON.parse(document.getElementById("data")?.textContent || "[]").length`, &wanted)
			if drawn != wanted {
				t.Errorf("%d of %d plots were drawn", drawn, wanted)
			}
			quiet(t, b)
			if *pictures != "" {
				b.picture(filepath.Join(*pictures, strings.ReplaceAll(name, " ", "-")+".png"))
			}
		})
	}
}
