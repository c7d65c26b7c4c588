package session

import (
	"math"
	"time"

	"worstcase/results"
)

const second = int64(time.Second)

// A Recorder cuts what a Source measured into intervals of one second, by the
// samples' own due times (CLOCK_MONOTONIC, ns), and hands each finished
// interval to the sink. A sample that comes late belongs to the second in which
// it was due, however late it is: a series moves on by its samples alone. What
// was due before the measured start is warm-up and is ignored, as is what was
// due at the end or later.
type Recorder struct {
	sink   func(results.Record)
	raw    func(series int, due, value, missed int64)
	start  int64
	end    int64
	period int64
	series []track
}

// A track is one series on its way through the seconds.
type track struct {
	second   int64
	now      results.Tally
	total    results.Tally
	switches int64
	last     int64
	latest   int64 // the newest sample's value
}

// NewRecorder records n series from start (CLOCK_MONOTONIC, ns) on. period is
// that of the samples, 0 where there is none.
func NewRecorder(n int, start int64, period time.Duration, sink func(results.Record)) *Recorder {
	r := &Recorder{sink: sink, start: start, end: math.MaxInt64, period: int64(period), series: make([]track, n)}
	for i := range r.series {
		r.series[i].now.Histogram = new(results.Histogram)
		r.series[i].total.Histogram = new(results.Histogram)
		r.series[i].last = start
	}
	return r
}

// Sample records a latency, and the periods missed right after it.
func (r *Recorder) Sample(series int, due, value, missed int64) {
	if due >= r.end {
		return
	}
	r.Missed(series, due, missed)
	if due < r.start {
		return
	}
	t := &r.series[series]
	if r.raw != nil {
		r.raw(series, due, value, missed)
	}
	r.advance(series, due)
	n := &t.now
	if n.Samples() == 0 || value < n.Min {
		n.Min = value
	}
	if n.Samples() == 0 || value > n.Max {
		n.Max, n.MaxAt = value, due-r.start
	}
	n.Count++
	n.Sum += value
	n.Histogram.Record(value)
	t.latest = value
}

// Missed counts the periods missed right after due, where a sample may be, or
// something lost.
func (r *Recorder) Missed(series int, due, missed int64) {
	switch {
	case due >= r.end:
	case due < r.start:
		r.Overruns(series, r.start, r.missedSince(due, missed))
	default:
		r.Overruns(series, due, r.missedBefore(due, missed))
		t := &r.series[series]
		t.last = max(t.last, due+missed*r.period)
	}
}

// missedSince is how many of the periods missed after due lie in the measured
// time, for a sample of the warm-up.
func (r *Recorder) missedSince(due, missed int64) int64 {
	if r.period == 0 || missed == 0 {
		return 0
	}
	before := (r.start - 1 - due) / r.period
	return r.missedBefore(due+before*r.period, max(0, missed-before))
}

// missedBefore is how many of the periods missed after due come before the end.
func (r *Recorder) missedBefore(due, missed int64) int64 {
	if r.period == 0 || r.end == math.MaxInt64 {
		return missed
	}
	return min(missed, (r.end-1-due)/r.period)
}

// Overruns counts n periods missed from due on.
func (r *Recorder) Overruns(series int, due, n int64) {
	if n > 0 && due < r.end {
		r.advance(series, max(due, r.start))
		r.series[series].now.Overruns += n
	}
}

// Measured tells whether what was due then is in the figures.
func (r *Recorder) Measured(due int64) bool { return due >= r.start && due < r.end }

// Lost counts n things that the measured mechanism lost around due.
func (r *Recorder) Lost(series int, due, n int64) {
	if n > 0 && due >= r.start && due < r.end {
		r.advance(series, due)
		r.series[series].now.Lost += n
	}
}

// Spike hands on one of the worst samples.
func (r *Recorder) Spike(s *results.Spike) { r.sink(s) }

// Merge adds finished figures of samples that were due from first to last: a
// kernel-side source's histogram, or what a full ring kept of the samples that
// it dropped. They count in the second of last. MaxAt of the tally is in
// CLOCK_MONOTONIC ns. Figures can't be cut: where they reach beyond the end,
// the end moves behind them.
func (r *Recorder) Merge(series int, first, last int64, tally *results.Tally) {
	if last < r.start || first >= r.end {
		return
	}
	if last >= r.end {
		r.end = last + r.period
	}
	r.advance(series, last)
	t := &r.series[series]
	moved := *tally
	moved.MaxAt -= r.start
	t.now.Add(&moved)
	t.last = max(t.last, last)
}

// Switches sets how many page faults and involuntary switches the measuring
// thread has had since the measured start.
func (r *Recorder) Switches(series int, sinceStart int64) {
	t := &r.series[series]
	if d := sinceStart - t.switches; d > 0 {
		t.now.Switches += d
		t.switches = sinceStart
	}
}

// Throttled counts n periods, the first of them due at due, that the measuring
// thread was kept from, or kept itself from, so as not to hold its CPU for ever.
func (r *Recorder) Throttled(series int, due, n int64) {
	if before := r.start - due; before > 0 {
		skip := (before + r.period - 1) / r.period
		due, n = due+skip*r.period, n-skip
	}
	if due >= r.end || n <= 0 {
		return
	}
	r.advance(series, due)
	t := &r.series[series]
	n = 1 + r.missedBefore(due, n-1)
	t.now.Throttled += n
	t.last = max(t.last, due+(n-1)*r.period)
}

// advance hands on all intervals of the series that end at due or before.
func (r *Recorder) advance(series int, due int64) {
	t := &r.series[series]
	for k := (due - r.start) / second; t.second < k; {
		r.emit(series, (t.second+1)*second)
	}
}

// emit hands on the series' current interval, which ends at the given time
// since the start.
func (r *Recorder) emit(series int, at int64) {
	t := &r.series[series]
	if at > t.second*second {
		r.sink(&results.Interval{Series: series, At: at, Seconds: float64(at-t.second*second) / 1e9, Tally: t.now})
	}
	t.total.Add(&t.now)
	t.second++
	h := t.now.Histogram
	h.Reset()
	t.now = results.Tally{Histogram: h}
}

// SetEnd fixes the end of the measured time: later samples are ignored.
func (r *Recorder) SetEnd(end int64) { r.end = max(end, r.start) }

// Last is when the last sample of any series was due, or the last period that
// it missed.
func (r *Recorder) Last() int64 {
	last := r.start
	for i := range r.series {
		last = max(last, r.series[i].last)
	}
	return last
}

// Finish hands on the last intervals, up to the end that was set.
func (r *Recorder) Finish() {
	for i := range r.series {
		last := r.end - r.start
		for r.series[i].second*second < last {
			r.emit(i, min((r.series[i].second+1)*second, last))
		}
	}
}

// Totals are the whole of every series so far, with ids as the header gives
// them. Their histograms are the recorder's own.
func (r *Recorder) Totals(infos []results.SeriesInfo) []results.Total {
	totals := make([]results.Total, len(infos))
	for i, info := range infos {
		total := results.Total{SeriesInfo: info, Tally: r.series[i].total, Last: r.series[i].latest}
		total.Histogram = total.Histogram.Clone()
		total.Add(&r.series[i].now)
		totals[i] = total
	}
	return totals
}
