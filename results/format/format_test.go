package format

import (
	"errors"
	"flag"
	"strings"
	"testing"

	"worstcase/internal/golden"
	"worstcase/results"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestForms(t *testing.T) {
	one := []results.SeriesInfo{{}}
	klatency := func() *results.Header {
		h := latency(one, map[string]any{results.ConfigMode: results.ModeKernel})
		h.Tool = "klatency"
		return h
	}
	switchbench := func() *results.Header {
		h := latency(one, nil)
		h.Tool = "switchbench"
		return h
	}
	ring := func() *results.Header {
		h := switchbench()
		h.Config = map[string]any{
			results.ConfigMechanism: "pipe", results.ConfigMeasure: "ring", results.ConfigThreads: 4, results.ConfigWorkingSet: 65536,
			results.ConfigSpace: "processes", "cpus": "0,2", results.ConfigPolicy: "SCHED_FIFO",
		}
		return h
	}
	transport := func(subscribers ...string) *results.Header {
		h := &results.Header{Tool: "transport", Config: map[string]any{
			results.ConfigSize: 10 << 20, results.ConfigRate: 100, results.ConfigTransport: "shm", results.ConfigNotifier: "futex",
			results.ConfigPublishers: 1, results.ConfigSubscribers: len(subscribers),
			results.ConfigPeriod: 10_000_000, results.ConfigPriority: 98, results.ConfigPolicy: "SCHED_FIFO",
		}}
		for i, s := range subscribers {
			for j, what := range []string{"wakeup", "service"} {
				h.Series = append(h.Series, results.SeriesInfo{ID: 2*i + j, Labels: results.Labels{"what": what, "subscriber": s}})
			}
		}
		return h
	}
	all := Options{Lines: 2, Histogram: true, Stats: true, Cells: 20}
	for _, test := range []struct {
		name, form string
		options    Options
		header     *results.Header
	}{
		{"xenomai3", Xenomai3, all, latency(one, nil)},
		{"xenomai3-asked", Xenomai3, Options{Lines: 21}, latency(one, map[string]any{results.ConfigDuration: int64(60e9)})},
		{"xenomai3-cpus", Xenomai3, all, latency(cpus("0", "3"), nil)},
		{"xenomai3-special", Xenomai3, Options{Lines: 21}, latency(cpus("1"), map[string]any{
			results.ConfigLoad: "fork,cache", results.ConfigPolicy: "SCHED_OTHER", results.ConfigPriority: 0, results.ConfigBackend: "eBPF",
		})},
		{"xenomai3-special-quiet", Xenomai3, Options{Lines: 21, Quiet: true}, latency(cpus("1"), map[string]any{
			results.ConfigLoad: "fork,cache", results.ConfigPolicy: "SCHED_OTHER", results.ConfigPriority: 0,
		})},
		{"xenomai2.0-special", Xenomai20, Options{Lines: 21}, latency(one, map[string]any{results.ConfigPolicy: "SCHED_OTHER"})},
		{"cyclictest-special", Cyclictest, Options{}, latency(one, map[string]any{results.ConfigPolicy: "SCHED_OTHER"})},
		{"xenomai2", Xenomai2, all, latency(one, nil)},
		{"xenomai2.0", Xenomai20, all, latency(one, nil)},
		{"klatency2.0", Xenomai20, Options{Lines: 21}, klatency()},
		{"klatency2.4", Xenomai2, Options{Lines: 21}, klatency()},
		{"latmus-isolated", Latmus, Options{Lines: 21}, func() *results.Header {
			h := latency(cpus("3"), nil)
			h.Host = results.Facts{"cpu.isolated": "1,2-3"}
			return h
		}()},
		{"switchbench", Xenomai2, all, switchbench()},
		{"switchbench2.0", Xenomai20, Options{}, switchbench()},
		{"switchbench-ring", Xenomai2, Options{}, ring()},
		{"transport", Xenomai3, Options{Lines: 21}, transport("1")},
		{"transport-two", Xenomai3, Options{Lines: 21}, transport("1", "2")},
		{"cyclictest", Cyclictest, Options{}, latency(cpus("0", "3"), nil)},
		{"cyclictest-ns", Cyclictest, Options{Nanoseconds: true}, latency(cpus("0"), nil)},
		{"cyclictest-histogram", Cyclictest, Options{Histogram: true, Cells: 10}, latency(cpus("0", "3"), nil)},
		{"cyclictest-json", Cyclictest, Options{JSON: true, Nanoseconds: true}, latency(cpus("0"), nil)},
	} {
		t.Run(test.name, func(t *testing.T) {
			golden.Check(t, "testdata/"+test.name+".txt", printed(t, test.form, test.options, script(test.header)), *update)
		})
	}
}

func TestGnuplotOfSeveral(t *testing.T) {
	var plot strings.Builder
	printed(t, Xenomai3, Options{Gnuplot: &plot, Cells: 20}, script(latency(cpus("0", "3"), nil)))
	golden.Check(t, "testdata/gnuplot-cpus.dat", plot.String(), *update)
}

// TestNothing prints a run that measured nothing, and one of which a file told
// little: what is not known is "?".
func TestNothing(t *testing.T) {
	h := latency([]results.SeriesInfo{{}}, nil)
	empty := results.Total{Tally: results.Tally{Overruns: 7}}
	missing := results.Total{Tally: results.Tally{
		Max: 5000, Missing: results.NoCount | results.NoMin | results.NoMean | results.NoOverruns | results.NoLost,
	}}
	for _, form := range Forms() {
		var all strings.Builder
		for _, total := range []results.Total{empty, missing} {
			end := &results.End{Seconds: 1, Series: []results.Total{total}}
			all.WriteString(printed(t, form, Options{Stats: true}, []results.Record{h, end}))
		}
		all.WriteString(printed(t, form, Options{}, []results.Record{h, &results.End{Reason: "error"}}))
		golden.Check(t, "testdata/nothing-"+form+".txt", all.String(), *update)
	}
}

// TestCheckpoint asks for the totals in the midst of a run: those until then are
// printed, no data file is, and the run goes on.
func TestCheckpoint(t *testing.T) {
	var plot strings.Builder
	records := script(latency([]results.SeriesInfo{{}}, nil))
	end := records[len(records)-1].(*results.End)
	first := records[1].(*results.Interval)
	total := results.Total{Tally: first.Tally}
	for _, form := range []string{Xenomai3, Cyclictest} {
		got := printed(t, form, Options{Lines: 21, Stats: true, Gnuplot: &plot}, []results.Record{
			records[0], first, &results.Checkpoint{At: 1e9, Series: []results.Total{total}}, records[2],
		})
		golden.Check(t, "testdata/checkpoint-"+form+".txt", got, *update)
	}
	if plot.Len() > 0 {
		t.Errorf("a checkpoint wrote a data file:\n%s", plot.String())
	}
	printed(t, Xenomai3, Options{Gnuplot: &plot}, []results.Record{records[0], end})
	if !strings.HasPrefix(plot.String(), "# 00:00:03") {
		t.Errorf("the end wrote %q", plot.String())
	}
}

// TestSpecialWithoutLines measures nothing in the only second, so no RTT line
// tells what is special.
func TestSpecialWithoutLines(t *testing.T) {
	h := latency([]results.SeriesInfo{{}}, map[string]any{results.ConfigPolicy: "SCHED_OTHER"})
	end := &results.End{Seconds: 1, Series: []results.Total{{Tally: results.Tally{Overruns: 1000}}}}
	got := printed(t, Xenomai3, Options{Lines: 21}, []results.Record{h, &results.Interval{At: 1e9, Seconds: 1}, end})
	golden.Check(t, "testdata/xenomai3-special-nothing.txt", got, *update)
}

func TestQuiet(t *testing.T) {
	var notice strings.Builder
	h := latency([]results.SeriesInfo{{}}, map[string]any{results.ConfigDuration: int64(10e9)})
	out := printed(t, Xenomai3, Options{Quiet: true, Lines: 21, Notice: &notice}, script(h))
	for _, word := range []string{"RTT|", "RTH|", "RTD|"} {
		if strings.Contains(out, word) {
			t.Errorf("%s in a quiet table:\n%s", word, out)
		}
	}
	if !strings.Contains(out, "RTS|") {
		t.Errorf("no RTS in\n%s", out)
	}
	if want := "running quietly for 10 seconds\n"; notice.String() != want {
		t.Errorf("notice %q, want %q", notice.String(), want)
	}
}

// TestHeaderRepeat counts the header lines of 50 seconds.
func TestHeaderRepeat(t *testing.T) {
	for lines, want := range map[int]string{0: "", 1: "1 2 3", 21: "1 22 43"} {
		records := []results.Record{latency([]results.SeriesInfo{{}}, nil)}
		for k := range int64(50) {
			records = append(records, &results.Interval{At: (k + 1) * 1e9, Seconds: 1, Tally: second(0, k)})
		}
		var at []string
		for _, line := range strings.Split(printed(t, Xenomai3, Options{Lines: lines}, records), "\n") {
			if s, ok := strings.CutPrefix(line, "RTT|  00:00:"); ok {
				at = append(at, strings.TrimPrefix(s[:2], "0"))
			}
		}
		if got := strings.Join(at[:min(3, len(at))], " "); got != want {
			t.Errorf("-l %d: headers at %s, want %s", lines, got, want)
		}
	}
}

// broken fails from its n-th line on.
type broken struct{ n int }

var errFull = errors.New("no space")

func (b *broken) Write(p []byte) (int, error) {
	if b.n--; b.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	for _, form := range Forms() {
		sink, err := New(form, &broken{0}, Options{Lines: 21})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range script(latency([]results.SeriesInfo{{}}, nil)) {
			err = sink.Put(r)
		}
		if !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", form, err, errFull)
		}
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ name, got, want string }{
		{"zero", hms(0), "00:00:00"},
		{"all but a whole second", hms(9.9999999), "00:00:10"},
		{"a fraction", hms(9.9), "00:00:09"},
		{"more than a day", hms(100*3600 + 61), "100:01:01"},
		{"a whole period", micros(100_000), "100"},
		{"half a microsecond", micros(7500), "7.5"},
		{"a nanosecond", micros(1), "0.001"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.name, test.got, test.want)
		}
	}
	for number, want := range map[string]bool{"0": true, "2": true, "3": true, "4": false, "7": true, "": false, "x": false} {
		if got := listed("0,2-3,7", number); got != want {
			t.Errorf("%q is in 0,2-3,7: %v", number, got)
		}
	}
	if listed("", "0") {
		t.Error("0 is in an empty list")
	}
}

func TestUnknownForm(t *testing.T) {
	if _, err := New("xenomai9", nil, Options{}); err == nil || !strings.Contains(err.Error(), "latmus") {
		t.Errorf("error %v does not name the forms", err)
	}
}
