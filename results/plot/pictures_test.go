package plot_test

import (
	"bytes"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"worstcase/results"
	"worstcase/results/plot"
)

var pictures = flag.String("pictures", "", "write the pictures that the tests draw into this folder")

// draw renders charts in both formats and checks that they are pictures.
func draw(t *testing.T, name string, charts ...plot.Chart) {
	t.Helper()
	for _, format := range []plot.Format{plot.PNG, plot.SVG} {
		var b bytes.Buffer
		if err := plot.Write(&b, format, charts...); err != nil {
			t.Fatal(err)
		}
		if *pictures != "" {
			if err := os.WriteFile(filepath.Join(*pictures, name+"."+string(format)), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if format == plot.PNG {
			if _, err := png.Decode(&b); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestPictures(t *testing.T) {
	one := made{label: "6.12.48-rt", cpus: 1, seconds: 60, rate: 10000, base: 4000, seed: 7}
	spike := one
	spike.spike = 1_043_000
	two := one
	two.cpus = 2
	day := made{label: "24 h", cpus: 1, seconds: 86400, rate: 2, base: 4000, seed: 9, spike: 412_000}
	many := made{label: "64 CPUs", cpus: 64, seconds: 10, rate: 500, base: 400, seed: 3}
	few := made{label: "few", cpus: 1, seconds: 1, rate: 1, base: 4000, seed: 3}
	for _, c := range []struct {
		name string
		made []made
	}{
		{"one", []made{one}},
		{"spike", []made{spike}},
		{"two-cpus", []made{two}},
		{"four-runs", several(4, 1)},
		{"two-runs-two-cpus", several(2, 2)},
		{"day", []made{day}},
		{"many", []made{many}},
		{"few", []made{few}},
		{"long-label", []made{{label: strings.Repeat("a very long <label> ", 20), cpus: 1, seconds: 2, rate: 500, base: 4000}}},
		{"none", []made{{label: "nothing"}}},
		{"no-runs", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs []*results.Run
			var columns []*plot.Columns
			for _, m := range c.made {
				r, k := m.both()
				runs, columns = append(runs, r), append(columns, k)
			}
			draw(t, c.name+"-histogram", plot.Histogram(runs...))
			draw(t, c.name+"-time", plot.Time(runs...))
			draw(t, c.name+"-percentile", plot.Percentile(runs...))
			draw(t, c.name+"-heatmap", plot.Heatmap(runs, columns)...)
		})
	}
}
