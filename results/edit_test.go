package results

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// steady is a run of one series with one sample a second.
func steady(gates []Gate, ns ...int64) *Run {
	r := &Run{Keep: KeepAll}
	put := func(rec Record) {
		if err := r.Put(rec); err != nil {
			panic(err)
		}
	}
	put(&Header{
		Tool: "latency", Config: map[string]any{ConfigPeriod: 1_000_000_000, ConfigDuration: len(ns)},
		Host: Facts{"kernel.release": "6.1", "memory.free": strings.Repeat("9", len(ns))}, T0: 5e9, Series: []SeriesInfo{{ID: 0}},
		Started: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
	})
	for i, v := range ns {
		at := int64(i+1) * 1e9
		put(&Interval{At: at, Seconds: 1, Tally: tally(at-1e9, v)})
		put(&Load{At: at, Kinds: map[string]Rate{"fork": {float64(v), "fork/s"}}})
		put(&Spike{At: at - 1e9, Latency: v})
	}
	end := &End{Reason: "duration", Seconds: float64(len(ns)), Series: r.Totals(), After: Figures{"smi": 1}}
	for _, g := range gates {
		end.Gates = append(end.Gates, g.held(&end.Series[0].Tally))
	}
	end.Verdict = Judge(end, time.Second, false)
	put(end)
	return r
}

func TestMerge(t *testing.T) {
	gates := []Gate{{Name: "max", Limit: 25, Unit: "ns"}}
	a, b := steady(gates, 10, 20), steady(nil, 30, 5, 7)
	a.Config[ConfigCommand], b.Config[ConfigCommand] = "latency -o a.run", "latency -o b.run"
	a.Series[0].Thread, b.Series[0].Thread = 11, 12
	got, err := Merge(a, b)
	if err != nil {
		t.Fatal(err)
	}
	want := steady(gates, 10, 20, 30, 5, 7)
	delete(want.Config, ConfigDuration)
	delete(want.Host, "memory.free")
	want.End.After = nil
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.End.Verdict != Fail || got.End.Gates[0].Value != 30 {
		t.Errorf("verdict %s, gates %v: the second run breaks the limit of the first", got.End.Verdict, got.End.Gates)
	}
	if list := got.Check(time.Second); len(list) != 0 {
		t.Errorf("contradicts: %q", list)
	}
	if a.End.Series[0].Count != 2 || len(a.Host) != 2 || a.End.Series[0].Histogram.Count() != 2 {
		t.Error("merging changed a part")
	}
}

func TestMergeRefuses(t *testing.T) {
	with := func(change func(*Run)) *Run {
		r := steady(nil, 10)
		change(r)
		return r
	}
	tests := []struct {
		name string
		runs []*Run
		want string
	}{
		{"nothing", nil, "none"},
		{"other tool", []*Run{steady(nil, 1), with(func(r *Run) { r.Tool = "switchbench" })}, "the tool differs"},
		{"other period", []*Run{steady(nil, 1), with(func(r *Run) { r.Config[ConfigPeriod] = 7 })}, "the configuration differs: period_ns is 1000000000 in "},
		{"a load", []*Run{steady(nil, 1), with(func(r *Run) { r.Config[ConfigLoad] = "fork" })}, "the configuration differs: load is not set in "},
		{"other kernel", []*Run{steady(nil, 1), with(func(r *Run) { r.Host["kernel.version"] = "#2" })}, "the kernel differs"},
		{"other series", []*Run{steady(nil, 1), with(func(r *Run) { r.Series = nil })}, "the series differs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Merge(tt.runs...); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestMergeWarns(t *testing.T) {
	a, b := steady(nil, 10), steady(nil, 10)
	a.Warnings, a.End.Warnings = []string{"torn"}, []string{"powersave"}
	b.End = nil
	b.totals = a.Totals()
	b.at = 1e9
	got, err := Merge(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"run 1: powersave", "run 1: torn", "run 2: cut short"}, got.End.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.End.Verdict != VerdictError || got.End.Seconds != 2 || got.End.Series[0].Count != 2 {
		t.Errorf("verdict %s, %v s, %d samples", got.End.Verdict, got.End.Seconds, got.End.Series[0].Count)
	}
}

func TestTrim(t *testing.T) {
	gates := []Gate{{Name: "max", Limit: 25, Unit: "ns"}}
	whole := steady(gates, 90, 80, 20, 10)
	got, err := Trim(whole, 1500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	want := steady(gates, 20, 10)
	want.Header = whole.Header
	want.T0 += 2e9
	want.Started = want.Started.Add(2 * time.Second)
	want.End.Warnings = []string{"the first 2s were cut off; what changed on the machine is that of the whole run"}
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if whole.End.Verdict != Fail || got.End.Verdict != Pass {
		t.Errorf("verdicts %s and %s, want fail and pass", whole.End.Verdict, got.End.Verdict)
	}
	if list := got.Check(time.Second); len(list) != 0 {
		t.Errorf("contradicts: %q", list)
	}
	if _, err := Trim(whole, 4*time.Second); err == nil {
		t.Error("a run was trimmed to nothing")
	}
	if _, err := Trim(&Run{Keep: KeepTotals}, 0); err == nil {
		t.Error("a run without intervals was trimmed")
	}
}

func TestReplay(t *testing.T) {
	want := steady(nil, 10, 20, 30)
	var b bytes.Buffer
	if err := want.Replay(NewWriter(&b)); err != nil {
		t.Fatal(err)
	}
	log := b.String()
	runs, err := ReadFrom(KeepAll, &b, "")
	if err != nil {
		t.Fatal(err)
	}
	runs[0].Config, runs[0].Schema = want.Config, 0 // numbers come back as float64, and a log has a schema
	if diff := cmp.Diff(want, runs[0], same); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if load, second := strings.Index(log, `"load"`), strings.LastIndex(log, `"interval"`); load > second {
		t.Error("the records aren't in the order of their time")
	}
}
