package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"worstcase/cmd/internal/cli/clitest"
	"worstcase/results"
)

var update = flag.Bool("update", false, "write the outputs in the scripts anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"results": main, "makerun": makerun})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Cmds:          clitest.Commands(),
	})
}

// makerun writes a log: makerun FILE LABEL MINUTE LEVEL MAX [key=value…]. It has
// twelve seconds of 2,000 samples, 1 ns apart from LEVEL ns on, and one of MAX.
// Keys with "config." go into the configuration, as "cpu" into the labels, as
// "cut" and "seconds" change the end, the others are facts of the host.
func makerun() {
	level, _ := strconv.ParseInt(os.Args[4], 10, 64)
	highest, _ := strconv.ParseInt(os.Args[5], 10, 64)
	minute, _ := strconv.Atoi(os.Args[3])
	h := &results.Header{
		Schema: results.Schema, Tool: "latency", Label: os.Args[2],
		Config:  map[string]any{results.ConfigPeriod: 500_000},
		Host:    results.Facts{"cpu.model": "A100", "kernel.release": "6.12"},
		Started: time.Date(2026, 11, 30, 12, minute, 0, 0, time.UTC),
		Series:  []results.SeriesInfo{{Labels: results.Labels{}}},
	}
	cut, seconds := false, int64(12)
	for _, fact := range os.Args[6:] {
		key, value, _ := strings.Cut(fact, "=")
		value = strings.ReplaceAll(value, `\n`, "\n")
		config, isConfig := strings.CutPrefix(key, "config.")
		switch {
		case key == "cut":
			cut = true
		case key == "seconds":
			seconds, _ = strconv.ParseInt(value, 10, 64)
		case key == "tool":
			h.Tool = value
		case key == "cpu":
			h.Series[0].Labels["cpu"] = value
		case isConfig && strings.HasSuffix(config, "_ns"):
			h.Config[config], _ = strconv.ParseInt(value, 10, 64)
		case isConfig:
			h.Config[config] = value
		default:
			h.Host[key] = value
		}
	}
	if err := write(os.Args[1], h, seconds, level, highest, cut); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(path string, h *results.Header, seconds, level, highest int64, cut bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	// Not results.Create: that notes in the log how long syncing took.
	w := results.NewWriter(f)
	records := []results.Record{h}
	total := results.Total{SeriesInfo: h.Series[0]}
	for s := range seconds {
		iv := &results.Interval{At: (s + 1) * 1e9, Seconds: 1}
		iv.Histogram = new(results.Histogram)
		iv.Min, iv.Max, iv.Count = level, level+1999+s, 2000
		for i := range int64(2000) {
			x := level + i
			if i == 1999 {
				x += s
				if s == 5 {
					x, iv.Max, iv.MaxAt = highest, highest, 5e9
				}
			}
			iv.Histogram.Record(x)
			iv.Sum += x
		}
		total.Add(&iv.Tally)
		records = append(records, iv)
	}
	if !cut {
		records = append(records, &results.End{
			Reason: "duration", Seconds: float64(seconds), Verdict: results.Pass,
			Series: []results.Total{total}, After: results.Figures{"irq.LOC.cpu1": 4321, "smi": 0},
		})
	}
	for _, rec := range records {
		if err := w.Put(rec); err != nil {
			return err
		}
	}
	return w.Close()
}
