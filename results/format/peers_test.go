package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
)

// peer returns a file that another tool printed.
func peer(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "peers", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// replay turns a table of Xenomai or EVL into the records that it came from, as
// far as its lines tell, so that printing them must give the table again.
func replay(t *testing.T, text string) []results.Record {
	t.Helper()
	header := &results.Header{Tool: "latency", Config: map[string]any{}, Host: results.Facts{}, Series: []results.SeriesInfo{{}}}
	end := &results.End{Series: []results.Total{{}}}
	end.Series[0].Histogram = new(results.Histogram)
	records := []results.Record{header}
	overruns := int64(0)
	cells := map[string][]int64{}
	for _, line := range strings.Split(text, "\n") {
		f := strings.Split(line, "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		switch f[0] {
		case "RTD":
			tally := figures(t, f[1:4])
			tally.Overruns = whole(t, f[4]) - overruns
			overruns += tally.Overruns
			records = append(records, &results.Interval{At: int64(len(records)) * 1e9, Seconds: 1, Tally: tally})
		case "RTS":
			tally := figures(t, f[1:4])
			tally.Overruns, tally.Histogram = whole(t, f[4]), end.Series[0].Histogram
			end.Series[0].Tally = tally
			end.Seconds = clockSeconds(t, f[6][:8])
			header.Config[results.ConfigDuration] = int64(clockSeconds(t, f[6][9:]) * 1e9)
		case "HSD":
			low, _, _ := strings.Cut(f[2], " ")
			for range whole(t, f[3]) {
				cells[f[1]] = append(cells[f[1]], whole(t, low))
			}
		}
	}
	// Without RTD lines the seconds come back out of the cells. Xenomai does
	// not count samples after the last whole second in its histogram.
	width := int64(1000)
	if strings.Contains(text, "500 us period") {
		width = 2000
	}
	for _, cell := range cells["avg"] {
		end.Series[0].Histogram.Record(cell*width + width/2)
	}
	if len(records) == 1 {
		for i := range cells["min"] {
			records = append(records, &results.Interval{At: int64(i+1) * 1e9, Seconds: 1, Tally: results.Tally{
				Count: 1, Min: cells["min"][i] * width, Max: cells["max"][i] * width,
			}})
		}
	}
	described(t, header, text)
	return append(records, end)
}

// described reads what the lines above the figures tell.
func described(t *testing.T, h *results.Header, text string) {
	t.Helper()
	modes := map[string]string{
		"periodic user-mode task": results.ModeUser, "in-kernel periodic task": results.ModeKernel,
		"in-kernel timer handler": results.ModeHandler, "user": results.ModeUser, "kernel": results.ModeKernel,
	}
	if m := regexp.MustCompile(`\((.*), (\d+) us period, priority (\d+)(?:, CPU(\d+)-noisol)?\)`).FindStringSubmatch(text); m != nil {
		h.Config[results.ConfigMode] = modes[m[1]]
		h.Config[results.ConfigPeriod] = whole(t, m[2]) * 1000
		h.Config[results.ConfigPriority] = whole(t, m[3])
		if m[4] != "" {
			h.Series[0].Labels = results.Labels{"cpu": m[4]}
		}
	} else if m := regexp.MustCompile(`period: (\d+) us`).FindStringSubmatch(text); m != nil {
		h.Config[results.ConfigPeriod] = whole(t, m[1]) * 1000
	}
}

func figures(t *testing.T, f []string) results.Tally {
	t.Helper()
	var ns [3]float64
	for i := range ns {
		v, err := strconv.ParseFloat(f[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		ns[i] = v * 1000
	}
	return results.Tally{Count: 1000, Min: int64(ns[0] + 0.5), Average: ns[1], Max: int64(ns[2] + 0.5)}
}

func whole(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func clockSeconds(t *testing.T, s string) float64 {
	t.Helper()
	var h, m, sec int
	if _, err := fmt.Sscanf(s, "%d:%d:%d", &h, &m, &sec); err != nil {
		t.Fatal(err)
	}
	return float64(h*3600 + m*60 + sec)
}

// TestPeers prints what other tools printed, and compares it byte for byte.
func TestPeers(t *testing.T) {
	for _, test := range []struct {
		file, form string
		options    Options
	}{
		{"xenomai3-latency-p100-T10.txt", Xenomai3, Options{Lines: 21}},
		{"xenomai3-latency-P50-c1-T3.txt", Xenomai3, Options{Lines: 21}},
		{"xenomai3-latency-p1000-T3-l0.txt", Xenomai3, Options{}},
		{"xenomai3-latency-p1000-T10-h-s.txt", Xenomai3, Options{Lines: 21, Histogram: true, Stats: true}},
		{"xenomai3-latency-p100-T10-h-s-q-g.txt", Xenomai3, Options{Lines: 21, Quiet: true, Histogram: true, Stats: true}},
		{"xenomai3-latency-p500-T5-h-H50-B2000.txt", Xenomai3, Options{Lines: 21, Histogram: true, Cells: 50, CellSize: 2000}},
		{"xenomai3-cobalt-p100-T10.txt", Xenomai3, Options{Lines: 21}},
		{"xenomai3-cobalt-t1-p1000-T5-h-s.txt", Xenomai3, Options{Lines: 21, Histogram: true, Stats: true}},
		{"xenomai3-cobalt-t2-p1000-T5.txt", Xenomai3, Options{Lines: 21}},
		{"xenomai4-evl-latmus-u-p100-T10.txt", Latmus, Options{Lines: 21}},
		{"xenomai4-evl-latmus-k-p1000-T5.txt", Latmus, Options{Lines: 21}},
	} {
		t.Run(test.file, func(t *testing.T) {
			want := peer(t, test.file)
			got := printed(t, test.form, test.options, replay(t, want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-theirs +ours):\n%s", diff)
			}
		})
	}
}

// TestGnuplotPeer makes a run of a data file of -g and writes it again, without
// the lines that speak of how Xenomai was built.
func TestGnuplotPeer(t *testing.T) {
	for _, file := range []string{"xenomai3-latency-gnuplot-p100.dat", "xenomai3-cobalt-gnuplot-p100.dat"} {
		t.Run(file, func(t *testing.T) {
			want := peer(t, file)
			want = regexp.MustCompile(`(?m)^# (Compiler|Build args|Cobalt core).*\n`).ReplaceAllString(want, "")
			var plot bytes.Buffer
			printed(t, Xenomai3, Options{Quiet: true, Gnuplot: &plot}, plotted(t, want))
			if diff := cmp.Diff(want, plot.String()); diff != "" {
				t.Errorf("(-theirs +ours):\n%s", diff)
			}
		})
	}
}

// plotted reads a data file: its comments, and its cells of 1 µs, which hold one
// sample more than there were.
func plotted(t *testing.T, text string) []results.Record {
	t.Helper()
	h := &results.Header{Tool: "latency", Config: map[string]any{}, Host: results.Facts{}, Series: []results.SeriesInfo{{}}}
	described(t, h, text)
	for key, pattern := range map[string]string{
		"xenomai.version": `# Xenomai version: (.*)`, "kernel.cmdline": `# Kernel parameters: (.*)`,
		"kernel.hostname": `# Linux (\S+) `, "kernel.release": `# Linux \S+ (\S+) `,
		"kernel.version": `# Linux \S+ \S+ (.*) \S+ GNU/Linux`, "kernel.machine": ` (\S+) GNU/Linux`,
	} {
		h.Host[key] = regexp.MustCompile(pattern).FindStringSubmatch(text)[1]
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	f := strings.Split(strings.Trim(lines[2], "# |"), "|")
	total := results.Total{Tally: figures(t, []string{strings.TrimSpace(f[0]), strings.TrimSpace(f[1]), strings.TrimSpace(f[2])})}
	total.Overruns, total.Histogram = whole(t, strings.TrimSpace(f[3])), new(results.Histogram)
	for _, line := range lines {
		var middle float64
		var n int64
		if k, _ := fmt.Sscanf(line, "%g %d", &middle, &n); k == 2 {
			total.Histogram.RecordN(int64(middle*1000), n-1)
		}
	}
	return []results.Record{h, &results.End{Seconds: clockSeconds(t, lines[0][2:10]), Series: []results.Total{total}}}
}

// cyclictestRun reads cyclictest's JSON file as a run. It makes samples above
// the histogram out of the cycles that are in no cell.
func cyclictestRun(t *testing.T, text string) []results.Record {
	t.Helper()
	var file struct {
		Command string            `json:"cmdline:"`
		Start   string            `json:"start_time"`
		Sysinfo map[string]any    `json:"sysinfo"`
		Thread  map[string]thread `json:"thread"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	started, err := time.Parse(time.RFC1123Z, file.Start)
	if err != nil {
		t.Fatal(err)
	}
	h := &results.Header{Tool: "latency", Started: started, Config: map[string]any{"command": file.Command}, Host: results.Facts{}}
	for _, fact := range []struct{ key, name string }{
		{"kernel.name", "sysname"},
		{"kernel.hostname", "nodename"},
		{"kernel.release", "release"},
		{"kernel.version", "version"},
		{"kernel.machine", "machine"},
	} {
		h.Host[fact.key] = file.Sysinfo[fact.name].(string)
	}
	e := &results.End{Seconds: 3, Verdict: results.Pass}
	for i := range len(file.Thread) {
		thread := file.Thread[strconv.Itoa(i)]
		info := results.SeriesInfo{ID: i, Labels: results.Labels{"cpu": strconv.Itoa(thread.CPU)}}
		h.Series = append(h.Series, info)
		e.Series = append(e.Series, results.Total{SeriesInfo: info, Tally: thread.tally()})
	}
	return []results.Record{h, e}
}

type thread struct {
	Histogram        map[int64]int64
	Cycles, Min, Max int64
	Avg              float64
	CPU              int
}

func (c thread) tally() results.Tally {
	t := results.Tally{Count: c.Cycles, Min: c.Min * 1000, Max: c.Max * 1000, Average: c.Avg * 1000, Histogram: new(results.Histogram)}
	left := c.Cycles
	for us, n := range c.Histogram {
		t.Histogram.RecordN(us*1000+500, n)
		left -= n
	}
	t.Histogram.RecordN(c.Max*1000, left)
	return t
}

func TestCyclictestPeer(t *testing.T) {
	want := peer(t, "cyclictest-2.4-hist.json")
	records := cyclictestRun(t, want)
	options := Options{Histogram: true, Cells: 40}
	t.Run("text", func(t *testing.T) {
		got := printed(t, Cyclictest, options, records)
		want := peer(t, "cyclictest-2.4-h40.txt")
		// Ours does not know which cycles were above the histogram.
		want = strings.TrimPrefix(want, "# /dev/cpu_dma_latency set to 0us\n")
		want = regexp.MustCompile(`(?m)^(# Thread (\d):).*$`).ReplaceAllString(want, "$1 # OVER$2 others")
		want = strings.NewReplacer("OVER0", "00108", "OVER1", "00077").Replace(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-theirs +ours):\n%s", diff)
		}
	})
	t.Run("json", func(t *testing.T) {
		options.JSON = true
		got := printed(t, Cyclictest, options, records)
		want := strings.Replace(want, `"rt_test_version:": "2.40"`, `"rt_test_version:": "worstcase"`, 1)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-theirs +ours):\n%s", diff)
		}
	})
}
