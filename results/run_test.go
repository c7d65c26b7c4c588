package results

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"worstcase/internal/golden"
)

// script is a run of two seconds with two series, the second of which is empty
// in its first second.
func script() []Record {
	header := &Header{
		Schema: Schema, Tool: "latency", Label: "6.1.0-rt <1>", Config: map[string]any{"period_ns": 100000.0},
		Host: Facts{"kernel.release": "6.1.0-rt"}, Started: time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC), T0: 1e9,
		Series: []SeriesInfo{{ID: 0, Labels: Labels{"cpu": "0"}}, {ID: 1, Labels: Labels{"cpu": "1"}}},
	}
	intervals := []*Interval{
		{Series: 0, At: 1e9, Seconds: 1, Tally: tally(0, 5000, 7000, 6000)},
		{Series: 1, At: 1e9, Seconds: 1, Tally: Tally{Overruns: 3}},
		{Series: 0, At: 2e9, Seconds: 1, Tally: tally(1e9, 9000, -4, Highest+7)},
		{Series: 1, At: 2e9, Seconds: 1, Tally: tally(1e9, 12_345)},
	}
	intervals[2].Unrecorded, intervals[2].Lost = 2, 1
	intervals[2].Sum += 100
	records := []Record{
		header, intervals[0], intervals[1],
		&Load{At: 1e9, Kinds: map[string]Rate{"fork": {812, "fork/s"}}},
		&Spike{Series: 0, At: 1_002_000_000, Latency: 9000, Stages: map[string]int64{"irq": 8000}, Blamed: "irq 34 eth0"},
		intervals[2], intervals[3],
	}
	var r Run
	for _, rec := range records {
		if err := r.Put(rec); err != nil {
			panic(err)
		}
	}
	return append(records, &End{
		Reason: "duration", Seconds: 2, Series: r.Totals(), After: Figures{"steal_ns": 12},
		Gates: []Gate{{Name: "max", Limit: 150000, Value: 9000, Unit: "ns", Pass: true}}, Verdict: Pass, Warnings: []string{"a warning"},
	})
}

func collect(t *testing.T, keep Keep, records []Record) *Run {
	t.Helper()
	r := &Run{Keep: keep}
	for _, rec := range records {
		if err := r.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

var same = cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(Run{})}

func TestRecordsRoundTrip(t *testing.T) {
	e := new(encoder)
	for _, want := range append(script(), &Checkpoint{At: 2e9, Series: script()[7].(*End).Series}) {
		line, err := appendRecord(nil, want, e)
		if err != nil {
			t.Fatal(err)
		}
		if prefix := `{"type":"` + want.recordType() + `",`; !strings.HasPrefix(string(line), prefix) {
			t.Errorf("%.60s doesn't begin with %s", line, prefix)
		}
		got, err := parseRecord(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		// An overflow comes back, but its bucket has no more than a count.
		if diff := cmp.Diff(want, got, same); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.recordType(), diff)
		}
	}
}

func TestIntervalJSON(t *testing.T) {
	script := script()
	tests := []struct {
		name string
		rec  Record
		want string
	}{
		{"samples", script[1], `{"type":"interval","series":0,"at_ns":1000000000,"seconds":1,"count":3,"min_ns":5000,"max_ns":7000,"max_at_ns":1000000,"sum_ns":18000,"overruns":0,"lost":0,"unrecorded":0,"histogram":"…"}`},
		{"no samples", script[2], `{"type":"interval","series":1,"at_ns":1000000000,"seconds":1,"count":0,"overruns":3,"lost":0,"unrecorded":0}`},
		{"outside", script[5], `{"type":"interval","series":0,"at_ns":2000000000,"seconds":1,"count":3,"min_ns":-4,"max_ns":3600000000007,"max_at_ns":1002000000,"sum_ns":3600000009103,"overruns":0,"lost":1,"unrecorded":2,"underflow":1,"overflow":1,"histogram":"…"}`},
		{
			"imported", &Interval{Series: 4, At: 1e9, Seconds: 0.5, Tally: Tally{Min: 1, Max: 2, Average: 1.5, Missing: NoCount | NoMaxAt | NoOverruns}},
			`{"type":"interval","series":4,"at_ns":1000000000,"seconds":0.5,"min_ns":1,"max_ns":2,"average_ns":1.5,"lost":0,"unrecorded":0,"missing":["count","max_at_ns","overruns"]}`,
		},
		{"checkpoint", &Checkpoint{At: 60e9, Series: []Total{{SeriesInfo: SeriesInfo{ID: 2}}}}, `{"type":"checkpoint","at_ns":60000000000,"series":[{"id":2,"count":0,"overruns":0,"lost":0,"unrecorded":0}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			line, err := appendRecord(nil, tt.rec, new(encoder))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, hideHistograms(string(line))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// hideHistograms puts … for every histogram, whose bytes are zlib's affair.
func hideHistograms(s string) string {
	return regexp.MustCompile(`("histogram": ?)"[^"]*"`).ReplaceAllString(s, `$1"…"`)
}

func TestRunTotals(t *testing.T) {
	records := script()
	live := collect(t, KeepTotals, records[:7])
	if !live.Truncated() || live.Seconds() != 2 || len(live.Intervals) != 0 {
		t.Errorf("without end: truncated %v, %v s, %d intervals kept", live.Truncated(), live.Seconds(), len(live.Intervals))
	}
	want := []Total{
		{SeriesInfo: SeriesInfo{ID: 0, Labels: Labels{"cpu": "0"}}, Tally: Tally{Count: 6, Min: -4, Max: Highest + 7, MaxAt: 1_002_000_000, Sum: 18000 + 9000 - 4 + Highest + 7 + 100, Lost: 1, Unrecorded: 2}},
		{SeriesInfo: SeriesInfo{ID: 1, Labels: Labels{"cpu": "1"}}, Tally: Tally{Count: 1, Min: 12345, Max: 12345, MaxAt: 1e9, Sum: 12345, Overruns: 3}},
	}
	if diff := cmp.Diff(want, live.Totals(), cmpopts.IgnoreFields(Tally{}, "Histogram")); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	if h := live.Totals()[0].Histogram; h.Count() != 6 || h.Underflow() != 1 || h.Overflow() != 1 {
		t.Errorf("histogram of %d samples, %d below, %d above; want 6 1 1", h.Count(), h.Underflow(), h.Overflow())
	}
	whole := collect(t, KeepFigures, records)
	if whole.Truncated() || len(whole.Intervals) != 4 || len(whole.Of(1)) != 2 || whole.Intervals[0].Histogram != nil {
		t.Errorf("truncated %v, %d intervals, %d of series 1", whole.Truncated(), len(whole.Intervals), len(whole.Of(1)))
	}
	if diff := cmp.Diff(live.Totals(), whole.Totals(), same); diff != "" {
		t.Errorf("totals of the end (-live +end):\n%s", diff)
	}
	all := collect(t, KeepAll, records)
	records[1].(*Interval).Histogram.Record(1)
	if all.Intervals[0].Histogram.Count() != 3 {
		t.Error("the run shares a histogram with the record it was given")
	}
}

func TestRunRefuses(t *testing.T) {
	s := script()
	for name, records := range map[string][]Record{
		"no header":       {s[1]},
		"two headers":     {s[0], s[0]},
		"after the end":   {s[0], s[7], s[1]},
		"a second end":    {s[0], s[7], s[7]},
		"checkpoint only": {&Checkpoint{}},
	} {
		t.Run(name, func(t *testing.T) {
			var r Run
			var err error
			for _, rec := range records {
				if err != nil {
					t.Fatalf("refused too early: %v", err)
				}
				err = r.Put(rec)
			}
			if err == nil {
				t.Error("taken")
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	got := Describe([]float64{4, 1, 7})
	if diff := cmp.Diff(Spread{3, 4, 4, 3, 1, 7}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	nan := math.NaN()
	if diff := cmp.Diff(Spread{1, 4, 4, nan, 4, 4}, Describe([]float64{4}), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("one run (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Spread{0, nan, nan, nan, nan, nan}, Describe(nil), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("no runs (-want +got):\n%s", diff)
	}
}

func TestDocument(t *testing.T) {
	var b bytes.Buffer
	if err := WriteDocument(&b, collect(t, KeepTotals, script())); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/document.json", hideHistograms(b.String()), *update)
	b.Reset()
	cut := collect(t, KeepTotals, script()[:3])
	if err := WriteDocument(&b, cut, cut); err != nil {
		t.Fatal(err)
	}
	var docs []struct {
		Truncated bool
		Verdict   *string
		Series    []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &docs); err != nil {
		t.Fatal(err)
	}
	if len(docs) != 2 || !docs[0].Truncated || docs[0].Verdict != nil {
		t.Errorf("two runs cut short: %s", b.Bytes())
	}
	if _, has := docs[0].Series[1]["min_ns"]; has {
		t.Error("a series without samples has a minimum")
	}
	if strings.Contains(b.String(), `\u003c`) {
		t.Error("< is escaped")
	}
}

// Spikes are told as they happen: those that others have displaced are gone,
// whether the run ended or not.
func TestSpikesToldAgain(t *testing.T) {
	spike := func(series int, at, latency int64, blamed string) *Spike {
		return &Spike{Series: series, At: at, Latency: latency, Blamed: blamed}
	}
	var log bytes.Buffer
	w := NewWriter(&log)
	for _, rec := range []Record{
		&Header{Series: []SeriesInfo{{ID: 0}, {ID: 1}}, Config: map[string]any{ConfigSpikes: 2}},
		spike(0, 1, 300, ""),
		spike(1, 1, 200, "thread a"),
		spike(0, 9, 100, "thread b"),
		spike(0, 5, 250, "thread c"),
		spike(0, 1, 300, "thread d"),
	} {
		if err := w.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := ReadFrom(KeepTotals, bytes.NewReader(log.Bytes()), "a.run")
	if err != nil {
		t.Fatal(err)
	}
	want := []Spike{*spike(0, 1, 300, "thread d"), *spike(0, 5, 250, "thread c")}
	if diff := cmp.Diff(want, runs[0].Spikes); diff != "" {
		t.Errorf("spikes (-want +got):\n%s", diff)
	}
}
