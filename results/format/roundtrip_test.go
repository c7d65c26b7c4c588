package format

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
	"worstcase/results/foreign"
)

// again reads a text and returns the only run in it as records.
func again(t *testing.T, text string, read func([]byte, foreign.Options) ([]*foreign.Draft, error)) []results.Record {
	t.Helper()
	drafts, err := read([]byte(text), foreign.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(drafts) != 1 {
		t.Fatalf("%d runs were read, want one:\n%s", len(drafts), text)
	}
	run, err := drafts[0].Run()
	if err != nil {
		t.Fatal(err)
	}
	records := []results.Record{&run.Header}
	for i := range run.Intervals {
		records = append(records, &run.Intervals[i])
	}
	return append(records, run.End)
}

// TestRoundTrip reads what was printed, and prints what was read: that must be
// the same text.
func TestRoundTrip(t *testing.T) {
	one := []results.SeriesInfo{{}}
	asked := map[string]any{results.ConfigDuration: int64(3e9)}
	for _, test := range []struct {
		name, form string
		options    Options
		header     *results.Header
		read       func([]byte, foreign.Options) ([]*foreign.Draft, error)
	}{
		{"xenomai3", Xenomai3, Options{Lines: 21}, latency(one, asked), ReadTables},
		{"xenomai3, two CPUs", Xenomai3, Options{Lines: 21}, latency(cpus("0", "3"), asked), ReadTables},
		{"xenomai3, histograms", Xenomai3, Options{Lines: 21, Histogram: true, Stats: true}, latency(one, asked), ReadTables},
		{"xenomai3, histograms of two CPUs", Xenomai3, Options{Lines: 21, Histogram: true, Stats: true}, latency(cpus("0", "3"), asked), ReadTables},
		{"xenomai2", Xenomai2, Options{Lines: 2}, latency(one, asked), ReadTables},
		{"xenomai2.0", Xenomai20, Options{Lines: 21}, latency(one, asked), ReadTables},
		{"latmus", Latmus, Options{Lines: 21}, latency(cpus("3"), asked), ReadTables},
		{"klatency2.0", Xenomai20, Options{Lines: 21}, tool("klatency", latency(one, asked)), ReadTables},
		{"klatency2.4", Xenomai2, Options{Lines: 21}, tool("klatency", latency(one, asked)), ReadTables},
		{"switchbench", Xenomai2, Options{Lines: 21}, tool("switchbench", latency(one, nil)), ReadTables},
		{"switchbench2.0", Xenomai20, Options{Lines: 21}, tool("switchbench", latency(one, nil)), ReadTables},
		{"transport", Xenomai3, Options{Lines: 21}, tool("transport", latency(one, map[string]any{
			results.ConfigSize: 1024, results.ConfigRate: 100, results.ConfigTransport: "shm", results.ConfigNotifier: "futex",
			results.ConfigPublishers: 1, results.ConfigSubscribers: 2,
		})), ReadTables},
		{"under load", Xenomai3, Options{Lines: 21}, latency(one, map[string]any{
			results.ConfigLoad: "fork,cache", results.ConfigPolicy: "SCHED_OTHER", results.ConfigBackend: "eBPF",
		}), ReadTables},
		{"under load, no header lines", Xenomai3, Options{}, latency(one, map[string]any{results.ConfigLoad: "fork,cache"}), ReadTables},
		{"cyclictest", Cyclictest, Options{}, latency(cpus("0", "3"), nil), ReadCyclictest},
		{"cyclictest histogram", Cyclictest, Options{Histogram: true, Cells: 10}, latency(cpus("0", "3"), nil), ReadCyclictest},
	} {
		t.Run(test.name, func(t *testing.T) {
			want := printed(t, test.form, test.options, script(test.header))
			got := printed(t, test.form, test.options, again(t, want, test.read))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-first +again):\n%s", diff)
			}
		})
	}
}

func tool(name string, h *results.Header) *results.Header {
	h.Tool = name
	return h
}

// TestCyclictestThread prints a thread's id and its last sample, and reads them.
func TestCyclictestThread(t *testing.T) {
	info := results.SeriesInfo{Labels: results.Labels{"cpu": "1"}, Thread: 11767}
	total := results.Total{SeriesInfo: info, Last: 15_000}
	total.Count, total.Min, total.Max, total.Sum = 2, 13_000, 66_000, 79_000
	text := printed(t, Cyclictest, Options{}, []results.Record{latency([]results.SeriesInfo{info}, nil), &results.End{Series: []results.Total{total}}})
	if want := "T: 0 (11767) P:99 I:100 C:      2 Min:     13 Act:   15 Avg:   39 Max:      66\n"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	records := again(t, text, ReadCyclictest)
	got := records[len(records)-1].(*results.End).Series[0]
	if got.Thread != 11767 || got.Last != 15_000 {
		t.Errorf("thread %d, last sample %d ns", got.Thread, got.Last)
	}
}
