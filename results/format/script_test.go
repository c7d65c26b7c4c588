package format

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
)

// onePerLine fails the test when a Write is not one whole line.
type onePerLine struct {
	t *testing.T
	strings.Builder
}

func (w *onePerLine) Write(p []byte) (int, error) {
	if n := strings.Count(string(p), "\n"); n != 1 || p[len(p)-1] != '\n' {
		w.t.Errorf("written at once: %q", p)
	}
	return w.Builder.Write(p)
}

// printed returns what a form prints of some records.
func printed(t *testing.T, form string, o Options, records []results.Record) string {
	t.Helper()
	out := &onePerLine{t: t}
	sink, err := New(form, out, o)
	if err != nil {
		t.Fatal(err)
	}
	before := dump(records)
	for _, r := range records {
		if err := sink.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, dump(records)); diff != "" {
		t.Errorf("printing changed the records:\n%s", diff)
	}
	return out.String()
}

// dump writes all fields of records, of a histogram only where it is.
func dump(records []results.Record) string {
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%+v\n", r)
	}
	return b.String()
}

// script is a run of three seconds and a bit: the figures of each series in
// second k are made of its id and k. Of the last series second 2 is empty, but
// for overruns.
func script(h *results.Header) []results.Record {
	h.Schema = results.Schema
	records := []results.Record{h}
	totals := make([]results.Total, len(h.Series))
	for i, s := range h.Series {
		totals[i] = results.Total{SeriesInfo: s, Tally: results.Tally{Histogram: new(results.Histogram)}}
	}
	for k := range int64(4) {
		for i, s := range h.Series {
			seconds := 1.0
			if k == 3 {
				seconds = 0.25
			}
			tally := second(int64(i), k)
			if k == 1 && i == len(h.Series)-1 && i > 0 {
				tally = results.Tally{Overruns: 10_000}
			}
			totals[i].Add(&tally)
			records = append(records, &results.Interval{Series: s.ID, At: k*1e9 + int64(seconds*1e9), Seconds: seconds, Tally: tally})
		}
	}
	return append(records, &results.End{Reason: "signal", Seconds: 3.25, Series: totals, Verdict: results.Pass})
}

// second makes a tally of five samples, the largest 1 ms in second 3.
func second(series, k int64) results.Tally {
	t := results.Tally{Overruns: k, Switches: 1 - k%2, Lost: k / 2, Histogram: new(results.Histogram)}
	for j := range int64(5) {
		ns := 3000 + 1234*j + 100*series + 10*k
		if k == 3 && j == 4 {
			ns = 1_000_000 + series
		}
		t.Histogram.Record(ns)
		t.Sum += ns
		if t.Count == 0 || ns < t.Min {
			t.Min = ns
		}
		t.Max = max(t.Max, ns)
		t.Count++
	}
	return t
}

func cpus(numbers ...string) []results.SeriesInfo {
	var list []results.SeriesInfo
	for i, n := range numbers {
		list = append(list, results.SeriesInfo{ID: i, Labels: results.Labels{"cpu": n}})
	}
	return list
}

func latency(series []results.SeriesInfo, extra map[string]any) *results.Header {
	h := &results.Header{Tool: "latency", Series: series, Config: map[string]any{
		results.ConfigPeriod: 100_000, results.ConfigMode: results.ModeUser,
		results.ConfigPolicy: "SCHED_FIFO", results.ConfigPriority: 99,
	}}
	for key, v := range extra {
		h.Config[key] = v
	}
	return h
}
