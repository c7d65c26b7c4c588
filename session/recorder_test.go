package session

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
	"worstcase/results/format"
)

// A recording keeps the intervals that a recorder emits, without histograms.
type recording struct{ intervals []results.Interval }

func (r *recording) put(rec results.Record) {
	iv := *rec.(*results.Interval)
	if iv.Histogram.Count() != iv.Count {
		panic("histogram and count differ")
	}
	iv.Histogram = nil
	r.intervals = append(r.intervals, iv)
}

const start = int64(1e12)

// row is {due since the start, latency, missed}, in ms.
type row [3]int64

func record(r *Recorder, rows ...row) {
	for _, x := range rows {
		r.Sample(0, start+x[0]*1e6, x[1]*1e6, x[2])
	}
}

func interval(at, count, sum, low, high, highAt, overruns int64) results.Interval {
	iv := results.Interval{At: at * 1e6, Seconds: 1}
	iv.Count, iv.Sum, iv.Min, iv.Max, iv.MaxAt, iv.Overruns = count, sum*1e6, low*1e6, high*1e6, highAt*1e6, overruns
	return iv
}

func TestRecorderCutsByIntendedTime(t *testing.T) {
	partial := interval(2500, 1, 7, 7, 7, 2400, 0)
	partial.Seconds = 0.5
	tests := []struct {
		name string
		rows []row
		end  int64
		want []results.Interval
	}{
		{
			"two seconds",
			[]row{{0, 1, 0}, {400, 3, 0}, {999, 2, 0}, {1000, 5, 0}, {2000, 9, 0}},
			2000,
			[]results.Interval{interval(1000, 3, 6, 1, 3, 400, 0), interval(2000, 1, 5, 5, 5, 1000, 0)},
		},
		{
			"warm-up is in no figure, but what it misses of the measured time is",
			[]row{{-300, 50, 0}, {-100, 80, 3}, {300, 1, 0}},
			1000,
			[]results.Interval{interval(1000, 1, 1, 1, 1, 300, 3)},
		},
		{
			"a warm-up sample so late that it misses all of the measured time",
			[]row{{-300, 1600, 15}},
			1000,
			[]results.Interval{{At: 1e9, Seconds: 1, Tally: results.Tally{Overruns: 10}}},
		},
		{
			"a late sample belongs to the second in which it was due",
			[]row{{0, 1, 0}, {900, 2500, 25}, {3500, 2, 0}},
			4000,
			[]results.Interval{
				interval(1000, 2, 2501, 1, 2500, 900, 25),
				{At: 2e9, Seconds: 1},
				{At: 3e9, Seconds: 1},
				interval(4000, 1, 2, 2, 2, 3500, 0),
			},
		},
		{
			"what is due at the end or later is not measured",
			[]row{{0, 1, 0}, {900, 2, 5}, {1500, 3, 0}},
			1000,
			[]results.Interval{interval(1000, 2, 3, 1, 2, 900, 0)},
		},
		{
			"a last, partial second",
			[]row{{100, 1, 0}, {1100, 2, 0}, {2400, 7, 0}},
			2500,
			[]results.Interval{interval(1000, 1, 1, 1, 1, 100, 0), interval(2000, 1, 2, 2, 2, 1100, 0), partial},
		},
		{"nothing measured", nil, 2000, []results.Interval{{At: 1e9, Seconds: 1}, {At: 2e9, Seconds: 1}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var got recording
			r := NewRecorder(1, start, 100*time.Millisecond, got.put)
			r.SetEnd(start + tc.end*1e6)
			record(r, tc.rows...)
			r.Finish()
			if diff := cmp.Diff(tc.want, got.intervals); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRecorderPeriodsWithoutASample counts ten periods, thrice: at the start, at
// the end, which cut them, and after the end.
func TestRecorderPeriodsWithoutASample(t *testing.T) {
	for _, tc := range []struct {
		name  string
		count func(r *Recorder, series int, due, n int64)
		got   func(*results.Interval) int64
		want  int64
	}{
		// due itself is none of the missed
		{"missed", (*Recorder).Missed, func(i *results.Interval) int64 { return i.Overruns }, 6 + 4},
		{"throttled", (*Recorder).Throttled, func(i *results.Interval) int64 { return i.Throttled }, 5 + 5},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got recording
			r := NewRecorder(1, start, time.Millisecond, got.put)
			r.SetEnd(start + 1e9)
			for _, due := range []int64{-5e6, 995e6, 2e9} {
				tc.count(r, 0, start+due, 10)
			}
			r.Finish()
			if n := tc.got(&got.intervals[0]); n != tc.want {
				t.Errorf("%d periods, want %d", n, tc.want)
			}
		})
	}
}

func TestRecorderMergesWhatARingDropped(t *testing.T) {
	var got recording
	r := NewRecorder(1, start, time.Millisecond, got.put)
	r.SetEnd(start + 1e9)
	record(r, row{0, 4, 0})
	r.Merge(0, start+1e6, start+1200e6, &results.Tally{Unrecorded: 1000, Sum: 9e9, Min: 2e6, Max: 70e6, MaxAt: start + 7e6, Overruns: 200})
	r.Finish()
	total := r.Totals([]results.SeriesInfo{{}})[0]
	want := results.Tally{Count: 1, Unrecorded: 1000, Sum: 9e9 + 4e6, Min: 2e6, Max: 70e6, MaxAt: 7e6, Overruns: 200}
	total.Histogram = nil
	if diff := cmp.Diff(want, total.Tally); diff != "" {
		t.Error(diff)
	}
	if last := got.intervals[len(got.intervals)-1]; last.At != 1201e6 {
		t.Errorf("the end is at %d ns, want behind the dropped samples", last.At)
	}
}

func TestRecorderAllocatesNothingForASample(t *testing.T) {
	r := NewRecorder(1, start, time.Millisecond, func(results.Record) {})
	r.Sample(0, start, 1e6, 0)
	if n := testing.AllocsPerRun(1000, func() { r.Sample(0, start+1, 1e5, 0) }); n != 0 {
		t.Errorf("%g allocations a sample", n)
	}
}

// TestTableOfAScript follows samples all the way to the printed table.
func TestTableOfAScript(t *testing.T) {
	var out strings.Builder
	table, err := format.New(format.Xenomai3, &out, format.Options{Lines: 21})
	if err != nil {
		t.Fatal(err)
	}
	header := &results.Header{Tool: "latency", Series: []results.SeriesInfo{{Labels: results.Labels{"cpu": "1"}}}, Config: map[string]any{
		results.ConfigPeriod: int64(100e6), results.ConfigMode: results.ModeUser,
		results.ConfigPolicy: "SCHED_FIFO", results.ConfigPriority: 99, results.ConfigDuration: int64(2e9),
	}}
	put := func(rec results.Record) {
		if err := table.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	put(header)
	r := NewRecorder(1, start, 100*time.Millisecond, put)
	r.SetEnd(start + 2e9)
	record(r, row{0, 1, 0}, row{100, 150, 1}, row{300, 2, 0}, row{1000, 4, 0})
	r.Finish()
	put(&results.End{Seconds: 2, Series: r.Totals(header.Series)})
	want := `== Sampling period: 100000 us
== Test mode: periodic user-mode task
== All results in microseconds
warming up...
RTT|  00:00:01  (periodic user-mode task, 100000 us period, priority 99)
RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst
RTD|   1000.000|  51000.000| 150000.000|       1|     0|   1000.000| 150000.000
RTD|   4000.000|   4000.000|   4000.000|       1|     0|   1000.000| 150000.000
---|-----------|-----------|-----------|--------|------|-------------------------
RTS|   1000.000|  39250.000| 150000.000|       1|     0|    00:00:02/00:00:02
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkSample(b *testing.B) {
	r := NewRecorder(1, start, 100*time.Microsecond, func(results.Record) {})
	due := start
	for b.Loop() {
		r.Sample(0, due, 5000+due%4096, 0)
		due += 100_000
	}
}
