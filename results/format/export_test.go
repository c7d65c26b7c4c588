package format

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"worstcase/internal/golden"
	"worstcase/results"
	"worstcase/results/foreign"
)

// exported is a run with two series, gates, and something missing.
func exported(t testing.TB) *results.Run {
	t.Helper()
	r := &results.Run{Keep: results.KeepAll}
	put := func(rec results.Record) {
		t.Helper()
		if err := r.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	series := []results.SeriesInfo{{ID: 0, Labels: results.Labels{"cpu": "0"}}, {ID: 1, Labels: results.Labels{"cpu": "1"}}}
	put(&results.Header{
		Schema: results.Schema, Tool: "latency", Label: `6.12 "rt"`, Started: time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC),
		Config: map[string]any{results.ConfigPeriod: 100_000, results.ConfigPriority: 99, results.ConfigPolicy: "SCHED_FIFO"},
		Host: results.Facts{
			"kernel.release": "6.12.0-rt1", "kernel.hostname": "board", "kernel.name": "Linux", "kernel.machine": "x86_64",
			"kernel.version": "#1 SMP PREEMPT_RT", "kernel.cmdline": "quiet isolcpus=1", "kernel.config": "CONFIG_PREEMPT_RT=y\n# a comment\n",
			"cpu.model": "Core i9", "cpu.vendor": "GenuineIntel", "cpu.max_khz": "3600000",
		},
		Series: series,
	})
	rng := rand.New(rand.NewPCG(7, 8))
	for second := range int64(2) {
		for id := range series {
			iv := &results.Interval{Series: id, At: (second + 1) * 1e9, Seconds: 1}
			iv.Histogram = new(results.Histogram)
			for range 1000 {
				ns := 3000 + int64(rng.ExpFloat64()*2000)
				if iv.Count == 0 || ns < iv.Min {
					iv.Min = ns
				}
				if ns > iv.Max {
					iv.Max, iv.MaxAt = ns, second*1e9
				}
				iv.Sum += ns
				iv.Count++
				iv.Histogram.Record(ns)
			}
			iv.Overruns = int64(id)
			put(iv)
		}
	}
	end := &results.End{Reason: "duration", Seconds: 2, Series: r.Totals(), Verdict: results.Fail, Gates: []results.Gate{
		{Name: "max", Series: 0, Limit: 150_000, Value: float64(r.Totals()[0].Max), Unit: "ns", Pass: true},
		{Name: "percentile 99.9", Series: 1, Limit: 10_000, Value: 15_000, Unit: "ns"},
	}}
	put(end)
	return r
}

func export(t testing.TB, to string, runs ...*results.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Export(&b, to, runs...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestExportGolden(t *testing.T) {
	for _, to := range Exports() {
		t.Run(to, func(t *testing.T) {
			got := export(t, to, exported(t))
			golden.Check(t, "testdata/export."+to, got, *update)
		})
	}
}

// TestHDR compares a distribution with that of the library, line by line.
func TestHDR(t *testing.T) {
	run := exported(t)
	total := run.Totals()[0]
	reference := hdr.New(1, results.Highest, 3)
	for b := range total.Histogram.All() {
		if err := reference.RecordValues(b.Low, b.Count); err != nil {
			t.Fatal(err)
		}
	}
	var want bytes.Buffer
	if _, err := reference.PercentilesPrint(&want, 5, 1000); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	writeDistribution(&got, &total.Tally)
	wantLines, gotLines := distribution(t, want.String()), distribution(t, got.String())
	if diff := cmp.Diff(wantLines, gotLines); diff != "" {
		t.Errorf("(-library +ours)\n%s", diff)
	}
	if len(gotLines) < 20 {
		t.Errorf("only %d lines", len(gotLines))
	}
}

// distribution reads value, percentile and count of each line.
func distribution(t *testing.T, text string) [][3]string {
	t.Helper()
	var list [][3]string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 3 || strings.HasPrefix(line, "#") || words[0] == "Value" {
			continue
		}
		q, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, [3]string{words[0], fmt.Sprintf("%.6f", q), words[2]})
	}
	return list
}

// TestExportRoundTrip reads what was exported again.
func TestExportRoundTrip(t *testing.T) {
	run := exported(t)
	for _, tc := range []struct {
		to        string
		read      func([]byte, foreign.Options) ([]*foreign.Draft, error)
		precision int64 // of minimum and maximum, in ns
		count     bool
	}{
		{ToOSADL, ReadOSADL, 1000, true},
		{ToGnuplot, ReadGnuplot, 1, true},
	} {
		t.Run(tc.to, func(t *testing.T) {
			drafts, err := tc.read([]byte(export(t, tc.to, run)), foreign.Options{})
			if err != nil {
				t.Fatal(err)
			}
			again, err := drafts[0].Run()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := again.Host["kernel.release"], run.Host["kernel.release"]; got != want {
				t.Errorf("kernel %q, want %q", got, want)
			}
			if len(again.Totals()) != 2 {
				t.Fatalf("%d series", len(again.Totals()))
			}
			for i, got := range again.Totals() {
				want := run.Totals()[i]
				if got.Count != want.Count || got.Labels["cpu"] != want.Labels["cpu"] {
					t.Errorf("series %v: count %d, want %v with %d", got.Labels, got.Count, want.Labels, want.Count)
				}
				if got.Max/tc.precision != want.Max/tc.precision || got.Min/tc.precision != want.Min/tc.precision {
					t.Errorf("min %d, max %d, want %d and %d", got.Min, got.Max, want.Min, want.Max)
				}
				for _, q := range []float64{0.5, 0.9, 0.99, 1} {
					if g, w := got.Histogram.Quantile(q), want.Histogram.Quantile(q); g/1000 < w/1000-1 || g/1000 > w/1000+1 {
						t.Errorf("quantile %v is %d, was %d", q, g, w)
					}
				}
			}
		})
	}
}

// TestOSADLCycles exports cores that took different numbers of samples, with a
// maximum above the last class: none of them gets samples that it never had.
func TestOSADLCycles(t *testing.T) {
	run := &results.Run{}
	h := &results.Header{Tool: "latency"}
	end := &results.End{Reason: "duration"}
	for id, n := range []int64{900, 1000} {
		total := results.Total{SeriesInfo: results.SeriesInfo{ID: id}}
		total.Histogram = new(results.Histogram)
		total.Histogram.RecordN(7000, n-1)
		total.Histogram.Record(40e6)
		total.Count, total.Min, total.Max, total.Sum = n, 7000, 40e6, 7000*(n-1)+40e6
		h.Series, end.Series = append(h.Series, total.SeriesInfo), append(end.Series, total)
	}
	for _, rec := range []results.Record{h, end} {
		if err := run.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	drafts, err := ReadOSADL([]byte(export(t, ToOSADL, run)), foreign.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := drafts[0].Run()
	if err != nil {
		t.Fatal(err)
	}
	for i, total := range again.Totals() {
		if want := run.Totals()[i]; total.Count != want.Count || total.Max != want.Max {
			t.Errorf("core %d: %d samples, max %d ns, want %d and %d", i, total.Count, total.Max, want.Count, want.Max)
		}
	}
}

// TestExportsParse reads exports by the rules of their formats.
func TestExportsParse(t *testing.T) {
	run := exported(t)
	rows, err := csv.NewReader(strings.NewReader(export(t, ToCSV, run))).ReadAll()
	if err != nil || len(rows) != 1+4+2 {
		t.Errorf("csv: %d rows, %v", len(rows), err)
	}
	if err := xml.Unmarshal([]byte(export(t, ToJUnit, run)), new(struct{})); err != nil {
		t.Errorf("junit: %v", err)
	}
	if !strings.Contains(export(t, ToJUnit, run), `failures="1"`) {
		t.Error("junit does not count the gate that failed")
	}
	var doc map[string]any
	if err := json.Unmarshal([]byte(export(t, ToCyclictest, run)), &doc); err != nil {
		t.Errorf("cyclictest: %v", err)
	}
	metric := regexp.MustCompile(`^[a-z_]+\{([a-zA-Z_]+="(\\.|[^"\\])*",?)+\} [-+0-9.e]+$`)
	text := export(t, ToOpenMetrics, run)
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "# ") && !metric.MatchString(line) {
			t.Errorf("openmetrics: %q", line)
		}
	}
	if !strings.HasSuffix(text, "# EOF\n") {
		t.Error("openmetrics has no end")
	}
}

// TestMissingIsLeftOut holds exports to what an imported run knows.
func TestMissingIsLeftOut(t *testing.T) {
	d := foreign.NewDraft("latency", "table", 100)
	d.Header.Label = "x"
	d.Series(nil).Max(19_147)
	run, err := d.Run()
	if err != nil {
		t.Fatal(err)
	}
	metrics := export(t, ToOpenMetrics, run)
	if strings.Contains(metrics, "min_seconds{") || strings.Contains(metrics, "overruns_total") || !strings.Contains(metrics, "max_seconds{") {
		t.Errorf("metrics of a run that knows only its maximum:\n%s", metrics)
	}
	rows, err := csv.NewReader(strings.NewReader(export(t, ToCSV, run))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range rows[0] {
		if value := rows[1][i]; (name == "count" || name == "min_ns" || name == "overruns") && value != "" {
			t.Errorf("%s is %q, want nothing", name, value)
		}
	}
	for _, to := range []string{ToHDR, ToGnuplot, ToOSADL, ToCyclictest} {
		if err := Export(new(bytes.Buffer), to, run); err == nil {
			t.Errorf("%s of a run without histogram is written", to)
		}
	}
}

func TestExportRefuses(t *testing.T) {
	run := exported(t)
	for to, runs := range map[string][]*results.Run{ToOSADL: {run, run}, ToCyclictest: {run, run}, "nonsense": {run}, ToCSV: nil} {
		if err := Export(new(bytes.Buffer), to, runs...); err == nil {
			t.Errorf("%s of %d runs is written", to, len(runs))
		}
	}
}
