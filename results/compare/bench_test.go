package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"worstcase/results"
)

// hourLogs writes n logs of one hour each, of one series at 100 us, and returns
// their names. The seconds of one run share their histograms, as making 36
// million samples would take longer than everything that is measured.
func hourLogs(b *testing.B, n int) []string {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	second := make([]results.Tally, 20)
	for i := range second {
		t := &second[i]
		t.Histogram, t.Min, t.Count = new(results.Histogram), math.MaxInt64, 10_000
		for range t.Count {
			ns := int64(5000 + 1500*rng.ExpFloat64())
			t.Histogram.Record(ns)
			t.Sum += ns
			t.Min, t.Max = min(t.Min, ns), max(t.Max, ns)
		}
	}
	peak := GEV{Location: 22_000, Scale: 1_200, Shape: 0.1}
	names := make([]string, n)
	for i := range names {
		names[i] = filepath.Join(b.TempDir(), fmt.Sprintf("%d.run", i))
		w, err := results.Create(names[i], false)
		if err != nil {
			b.Fatal(err)
		}
		put := func(rec results.Record) {
			if err := w.Put(rec); err != nil {
				b.Fatal(err)
			}
		}
		put(&results.Header{
			Schema: results.Schema, Tool: "latency", Label: fmt.Sprint(i % 2), Started: time.Unix(int64(3700*i), 0),
			Config: map[string]any{results.ConfigPeriod: 100_000}, Series: []results.SeriesInfo{{}},
		})
		var total results.Total
		for s := range int64(3600) {
			iv := results.Interval{At: (s + 1) * 1e9, Seconds: 1, Tally: second[rng.IntN(len(second))]}
			iv.Max = max(iv.Max, int64(peak.Quantile(rng.Float64())))
			total.Add(&iv.Tally)
			put(&iv)
		}
		put(&results.End{Reason: "duration", Seconds: 3600, Series: []results.Total{total}, Verdict: results.Pass})
		if err := w.Close(); err != nil {
			b.Fatal(err)
		}
	}
	return names
}

// BenchmarkCompareHours reads and compares ten runs of one hour with ten, return
// levels included.
func BenchmarkCompareHours(b *testing.B) {
	names := hourLogs(b, 20)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		runs, err := results.Read(results.KeepFigures, names...)
		if err != nil {
			b.Fatal(err)
		}
		var sides [2]Side
		for i, r := range runs {
			sides[i%2].Runs = append(sides[i%2].Runs, r)
		}
		c, err := Compare(sides[0], sides[1], Options{Extremes: true})
		if err != nil {
			b.Fatal(err)
		}
		if len(c.Rows) != 7 || c.Extremes[0].Refusal != "" {
			b.Fatalf("%d rows, return levels %+v", len(c.Rows), c.Extremes[0].Extremes)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	// All that the process ever took from the kernel, for making the logs as well.
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB")
}
