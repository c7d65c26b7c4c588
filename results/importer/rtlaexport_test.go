package importer

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
	"worstcase/results/format"
)

// A run with an IRQ and a thread series, written as rtla writes it, reads as
// what it was, to a microsecond; and it has rtla's own lines.
func TestRTLAExport(t *testing.T) {
	var runs []*results.Run
	for i, mode := range []string{results.ModeHandler, results.ModeKernel} {
		r := &results.Run{Keep: results.KeepTotals}
		total := results.Total{SeriesInfo: results.SeriesInfo{Labels: results.Labels{"cpu": "1"}}}
		h := new(results.Histogram)
		for _, us := range []int64{3, 3, 4, 40, 255, 256, 9000} {
			ns := (us + int64(i)) * 1000
			h.Record(ns)
			total.Add(&results.Tally{Count: 1, Min: ns, Max: ns, Sum: ns, Histogram: new(results.Histogram)})
		}
		total.Histogram = h
		for _, rec := range []results.Record{
			&results.Header{Schema: 1, Tool: "klatency", Config: map[string]any{results.ConfigMode: mode}, Series: []results.SeriesInfo{total.SeriesInfo}},
			&results.End{Reason: "duration", Seconds: 7, Series: []results.Total{total}, Verdict: results.Pass},
		} {
			if err := r.Put(rec); err != nil {
				t.Fatal(err)
			}
		}
		runs = append(runs, r)
	}
	var b bytes.Buffer
	if err := format.Export(&b, format.ToRTLA, runs...); err != nil {
		t.Fatal(err)
	}
	type figures struct {
		CPU, Context  string
		Count         int64
		Min, Max      int64
		Below256, All int64
	}
	var got []figures
	for _, r := range mustRead(t, b.String(), Options{}) {
		for i := range r.Totals() {
			s := &r.Totals()[i]
			got = append(got, figures{s.Labels["cpu"], s.Labels["context"], s.Samples(), s.Min, s.Max, s.Samples() - s.Histogram.CountAbove(256_000), s.Samples()})
		}
	}
	want := []figures{
		{"1", "irq", 7, 3000, 9000_000, 5, 7},
		{"1", "thread", 7, 4000, 9001_000, 4, 7},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, b.String())
	}
	golden, err := os.ReadFile("testdata/rtla-6.12-timerlat-hist-u-E40-b25.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(labels(string(golden)), labels(b.String())); diff != "" {
		t.Errorf("lines (-rtla +ours)\n%s", diff)
	}
}

// labels are the first words of the lines that aren't rows of figures.
func labels(text string) (names []string) {
	for line := range strings.Lines(text) {
		first, _, _ := strings.Cut(line, " ")
		if word := strings.TrimSpace(line); strings.HasPrefix(word, "# RTLA") || strings.HasPrefix(word, "# Time unit") {
			names = append(names, word)
		} else if strings.HasSuffix(first, ":") || first == "Index" {
			names = append(names, first)
		}
	}
	return names
}

// What rtla printed, read and written again, is the same text: its rows,
// widths and rounding are ours. The mean of all CPUs is made of theirs, which
// rtla has cut to whole microseconds.
func TestRTLAReadsAsWritten(t *testing.T) {
	golden, err := os.ReadFile("testdata/rtla-6.12-timerlat-hist-u-c0-1.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := format.Export(&b, format.ToRTLA, mustRead(t, string(golden), Options{})...); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(golden), "\n") // above it stands the command
	meanOfAll := regexp.MustCompile(`(?s)(ALL:.*\n)avg:.*?\n`)
	want, got := meanOfAll.ReplaceAllString(text, "$1"), meanOfAll.ReplaceAllString(b.String(), "$1")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-rtla +ours)\n%s", diff)
	}
}
