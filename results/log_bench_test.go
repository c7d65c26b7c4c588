package results

import (
	"bytes"
	"io"
	"testing"
)

// day makes a log of 24 h at 10 kHz, one series, with checkpoints and, if
// ended, an end. It is some 120 MB.
func day(b *testing.B, ended bool) []byte {
	b.Helper()
	var log bytes.Buffer
	w := NewWriter(&log)
	seconds := make([]*Interval, 16)
	for i := range seconds {
		h := second(uint64(i))
		seconds[i] = &Interval{Seconds: 1, Tally: Tally{Count: h.Count(), Min: 5000, Max: 90_000, MaxAt: 5, Sum: h.Count() * 6500, Histogram: h}}
	}
	put := func(rec Record) {
		if err := w.Put(rec); err != nil {
			b.Fatal(err)
		}
	}
	put(&Header{Series: []SeriesInfo{{ID: 0}}})
	for i := range int64(24 * 3600) {
		iv := seconds[i%int64(len(seconds))]
		iv.At = (i + 1) * 1e9
		put(iv)
	}
	if ended {
		put(&End{Reason: "duration", Seconds: 24 * 3600})
	}
	return log.Bytes()
}

func BenchmarkReadDay(b *testing.B) {
	for _, ended := range []struct {
		name string
		end  bool
	}{{"ended", true}, {"cut short", false}} {
		log := day(b, ended.end)
		for _, mode := range []struct {
			name string
			keep Keep
		}{{"totals", KeepTotals}, {"figures", KeepFigures}} {
			b.Run(ended.name+"/"+mode.name, func(b *testing.B) {
				b.SetBytes(int64(len(log)))
				b.ReportAllocs()
				for b.Loop() {
					runs, err := ReadFrom(mode.keep, bytes.NewReader(log), "")
					if err != nil || runs[0].Totals()[0].Count != 24*3600*10_000 {
						b.Fatalf("%v, %d runs", err, len(runs))
					}
				}
			})
		}
	}
}

// BenchmarkReadInterval reads one interval after another with its histogram,
// and adds it up.
func BenchmarkReadInterval(b *testing.B) {
	h := second(1)
	line, err := appendRecord(nil, &Interval{Seconds: 1, Tally: Tally{Count: h.Count(), Min: 1, Max: 2, Sum: 3, Histogram: h}}, new(encoder))
	if err != nil {
		b.Fatal(err)
	}
	var d decoder
	var sum Tally
	b.ReportAllocs()
	for b.Loop() {
		iv, err := parseInterval(line, &d, true)
		if err != nil {
			b.Fatal(err)
		}
		sum.Add(&iv.Tally)
	}
}

// BenchmarkWriteInterval is what the log costs a session each second and series.
func BenchmarkWriteInterval(b *testing.B) {
	h := second(1)
	w := NewWriter(io.Discard)
	iv := &Interval{Seconds: 1, Tally: Tally{Count: h.Count(), Min: 1, Max: 2, Sum: 3, Histogram: h}}
	if err := w.Put(&Header{Series: []SeriesInfo{{ID: 0}}}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		iv.At += 1e9
		if err := w.Put(iv); err != nil {
			b.Fatal(err)
		}
	}
}
