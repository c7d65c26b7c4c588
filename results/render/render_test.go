package render

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"worstcase/internal/golden"
	"worstcase/results"
)

var update = flag.Bool("update", false, "write the golden files anew")

// check compares a table in both forms with files of testdata.
func check(t *testing.T, name string, table *Table) {
	t.Helper()
	var text, markdown strings.Builder
	if err := table.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := table.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for ending, got := range map[string]string{".txt": text.String(), ".md": markdown.String()} {
		file := filepath.Join("testdata", name+ending)
		golden.Check(t, file, got, *update)
		for line := range strings.Lines(got) {
			if strings.HasSuffix(line, " \n") {
				t.Errorf("%s: a line ends in a space: %q", file, line)
			}
		}
	}
}

func TestTable(t *testing.T) {
	table := &Table{
		Title: "kernels | all",
		Columns: []Column{
			Words("kernel"), Latency("lat min"), Latency("lat max"), Count("overrun"),
			{Title: "cpu_usage", Unit: "%", Precision: 1},
		},
		Notes: []string{"(*) CONFIG_PREEMPT_RT is not set", "? was not recorded"},
	}
	table.Add(Text("iPipe 1.0-00"), Number(3575), Number(24474), Number(0), Number(0.04))
	table.Add(Text("a|b\nµs"), Unknown(), Number(1e9+0.4), Number(123456), Number(math.NaN()))
	table.Add(Text("Xenomai (*)"), Known(1, false), Known(44160, true))
	check(t, "table", table)
}

func TestEmptyTable(t *testing.T) {
	check(t, "empty", &Table{Columns: []Column{Words("run"), Latency("max")}})
	check(t, "nothing", Summary(&results.Run{}))
}

type broken struct{}

var errFull = errors.New("no space")

func (broken) Write([]byte) (int, error) { return 0, errFull }

func TestWriteError(t *testing.T) {
	table := &Table{Columns: []Column{Words("run")}}
	if err := table.Text(broken{}); !errors.Is(err, errFull) {
		t.Errorf("text: error %v", err)
	}
	if err := table.Markdown(broken{}); !errors.Is(err, errFull) {
		t.Errorf("markdown: error %v", err)
	}
}

// made is a run of one minute with made-up samples.
func made(t *testing.T, ended bool, config map[string]any, series ...results.SeriesInfo) *results.Run {
	t.Helper()
	run := &results.Run{}
	put := func(r results.Record) {
		if err := run.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	put(&results.Header{Schema: 1, Tool: "latency", Label: "iPipe 1.0-01", Config: config, Series: series})
	random := rand.New(rand.NewPCG(1, 2))
	for second := range int64(60) {
		for _, s := range series {
			iv := &results.Interval{Series: s.ID, At: (second + 1) * 1e9, Seconds: 1}
			iv.Histogram = new(results.Histogram)
			for i := range int64(1000) {
				ns := 3000 + int64(random.ExpFloat64()*2000)
				iv.Histogram.Record(ns)
				iv.Sum += ns
				if i == 0 || ns < iv.Min {
					iv.Min = ns
				}
				if ns > iv.Max {
					iv.Max, iv.MaxAt = ns, second*1e9+i*1e6
				}
			}
			iv.Count = 1000
			iv.Overruns = int64(s.ID)
			put(iv)
		}
	}
	if ended {
		put(&results.End{Reason: "duration", Seconds: 60, Series: run.Totals(), Verdict: results.Pass, Warnings: []string{"the governor is powersave"}})
	}
	return run
}

func TestSummary(t *testing.T) {
	config := map[string]any{results.ConfigPeriod: 1_000_000, results.ConfigLoad: "fork,cache"}
	check(t, "one", Summary(made(t, true, config, results.SeriesInfo{Labels: results.Labels{"cpu": "1"}})))

	config = map[string]any{results.ConfigPeriod: 1_000_000, results.ConfigPolicy: "SCHED_OTHER"}
	two := made(t, false, config, results.SeriesInfo{ID: 0, Labels: results.Labels{"cpu": "0"}}, results.SeriesInfo{ID: 1, Labels: results.Labels{"cpu": "3"}})
	two.Warnings = []string{"line 17 is torn, left out"}
	check(t, "cut-short", Summary(two))

	check(t, "loads", UnderLoads([]*results.Run{
		made(t, true, nil, results.SeriesInfo{Labels: results.Labels{"cpu": "1"}}),
		made(t, true, map[string]any{results.ConfigLoad: "fork"}, results.SeriesInfo{ID: 0, Labels: results.Labels{"cpu": "0"}}, results.SeriesInfo{ID: 1, Labels: results.Labels{"cpu": "1"}}),
	}))

	broken := made(t, true, config, results.SeriesInfo{Labels: results.Labels{"cpu": "1"}})
	broken.End.Reason, broken.End.Error = "error", "the sampler was killed"
	var text strings.Builder
	if err := Summary(broken).Text(&text); err != nil || !strings.Contains(text.String(), "failed: the sampler was killed\n") {
		t.Errorf("error %v, a run that failed shows as:\n%s", err, &text)
	}
}

// TestSummaryOfImport shows a run of which a file told three figures.
func TestSummaryOfImport(t *testing.T) {
	run := &results.Run{}
	total := results.Total{Tally: results.Tally{
		Min: 2953, Average: 5974, Max: 19147, Overruns: 0,
		Missing: results.NoCount | results.NoPercentiles | results.NoMaxAt | results.NoLost,
	}}
	for _, r := range []results.Record{
		&results.Header{Tool: "klatency", Label: "1.0-00", Series: []results.SeriesInfo{{}}},
		&results.End{Seconds: 725, Series: []results.Total{total}},
	} {
		if err := run.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	check(t, "imported", Summary(run))
}

func TestLength(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0 s", 2.5: "2.5 s", 3599: "3599 s", 3600: "1 h", 86400: "24 h", 1e6: "277.8 h"} {
		if got := Length(seconds); got != want {
			t.Errorf("%v s is %s, want %s", seconds, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{"a|b": `a\|b`, "<b>x</b>": `\<b>x\</b>`, "<0.05 per 1 s": "<0.05 per 1 s", "a < b": "a < b"} {
		if got := Escape(in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestStacks(t *testing.T) {
	spike := func(series int, at, latency int64, stack ...string) results.Spike {
		return results.Spike{Series: series, At: at, Latency: latency, Stack: stack}
	}
	check(t, "stacks", Stacks(
		[]results.SeriesInfo{{ID: 0, Labels: results.Labels{"cpu": "2"}}, {ID: 1, Labels: results.Labels{"cpu": "3"}}},
		[]results.Spike{
			spike(1, 1_500_000_000, 90_123, "timerlat_irq", "do_idle"),
			spike(1, 2_500_000_000, 80_123),
			spike(0, 3_500_000_000, 70_123, "timerlat_irq", "do_idle"),
			spike(1, 4_500_000_000, 60_123, "timerlat_irq", "do_idle"),
		},
	))
}
