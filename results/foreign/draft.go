package foreign

import (
	"errors"
	"fmt"
	"math"

	"worstcase/results"
)

// ErrSize is what reading fails with when a file would take far more memory
// than its length: nothing that a tool wrote does.
var ErrSize = errors.New("the file unpacks to more than ten times its size")

// A Draft is a run as another tool's file tells it, while the file is read.
// Figures start as missing and become known one by one. Its methods remember
// the first error, after which they do nothing; Run reports it.
type Draft struct {
	Header    results.Header
	Seconds   float64 // measured time, 0 when unknown
	After     results.Figures
	Warnings  []string
	Gates     []results.Gate
	series    []*Series
	intervals List[results.Interval]
	spikes    []results.Spike
	budget    int
	err       error
}

// NewDraft begins a run of tool, which is read from a text of size bytes in the
// named format.
func NewDraft(tool, format string, size int) *Draft {
	return &Draft{
		Header: results.Header{
			Schema: results.Schema,
			Tool:   tool,
			Config: map[string]any{"imported": format},
			Host:   results.Facts{},
		},
		After:  results.Figures{},
		budget: 1<<19 + 8*size,
	}
}

// A Series collects the figures of one series of a Draft. Times are in ns.
type Series struct {
	ID      int
	Labels  results.Labels
	Tally   results.Tally // what is known so far
	draft   *Draft
	buckets List[Bucket]
	above   int64
}

// A Bucket holds N samples that count as NS each, in ns.
type Bucket struct{ NS, N int64 }

// Series adds a series. Labels may be nil.
func (d *Draft) Series(labels results.Labels) *Series {
	s := &Series{ID: len(d.series), Labels: labels, draft: d}
	s.Tally.Missing = results.NoCount | results.NoMin | results.NoMean | results.NoPercentiles |
		results.NoMax | results.NoMaxAt | results.NoOverruns | results.NoLost
	if d.Spend(1200) {
		d.series = append(d.series, s)
	}
	return s
}

// Find returns the id of the first series that has all of the labels, else 0.
func (d *Draft) Find(labels results.Labels) int {
	for _, s := range d.series {
		found := true
		for key, value := range labels {
			found = found && s.Labels[key] == value
		}
		if found {
			return s.ID
		}
	}
	return 0
}

// Interval adds what a series measured in some stretch of time.
func (d *Draft) Interval(i results.Interval) {
	if d.Spend(300) {
		d.intervals.Append(i)
	}
}

// Spike adds one of the worst samples, whose At counts from the header's T0.
func (d *Draft) Spike(sp results.Spike) {
	if d.Spend(300) {
		d.spikes = append(d.spikes, sp)
	}
}

// Warn notes something that a reader of the figures must know.
func (d *Draft) Warn(format string, args ...any) {
	if d.Spend(200) {
		d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
	}
}

// Set notes an option or circumstance of the run, unless it is empty.
func (d *Draft) Set(key string, value any) {
	if value == "" || value == nil || !d.Spend(100) {
		return
	}
	d.Header.Config[key] = value
}

// Fact notes a fact of the host, unless it is empty.
func (d *Draft) Fact(key, value string) {
	if value != "" && d.Spend(100+len(value)) {
		d.Header.Host[key] = value
	}
}

// Fail makes the draft fail with err, unless it failed before or err is nil.
func (d *Draft) Fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// Err is the first error so far.
func (d *Draft) Err() error { return d.err }

// Spend takes n bytes from the memory that the file's size allows.
func (d *Draft) Spend(n int) bool {
	if d.budget -= n; d.budget < 0 {
		d.Fail(ErrSize)
	}
	return d.err == nil
}

func (s *Series) know(figure results.Missing) { s.Tally.Missing &^= figure }

// Count says how many samples there were.
func (s *Series) Count(n int64) { s.Tally.Count = n; s.know(results.NoCount) }

// Min says the least sample.
func (s *Series) Min(ns int64) { s.Tally.Min = ns; s.know(results.NoMin) }

// Mean says the mean of all samples.
func (s *Series) Mean(ns float64) { s.Tally.Average = ns; s.know(results.NoMean) }

// Max says the largest sample.
func (s *Series) Max(ns int64) { s.Tally.Max = ns; s.know(results.NoMax) }

// MaxAt says when the largest sample was due, in ns since the start.
func (s *Series) MaxAt(ns int64) { s.Tally.MaxAt = ns; s.know(results.NoMaxAt) }

// Overruns says how many periods were missed.
func (s *Series) Overruns(n int64) { s.Tally.Overruns = n; s.know(results.NoOverruns) }

// Lost says how many pulses or messages were lost.
func (s *Series) Lost(n int64) { s.Tally.Lost = n; s.know(results.NoLost) }

// Bucket adds n samples that lie in [low, high]. They count as its middle.
func (s *Series) Bucket(low, high, n int64) {
	if n <= 0 || high < low || !s.draft.Spend(48) {
		return
	}
	s.buckets.Append(Bucket{low + (high-low)/2, n})
}

// Above adds n samples of which the file tells only that they are above all
// buckets.
func (s *Series) Above(n int64) {
	if s.above += max(n, 0); s.above < 0 || s.above > MaxFigure {
		s.draft.Fail(fmt.Errorf("add up histogram: %w", errFigure))
	}
}

// Run finishes the draft.
func (d *Draft) Run() (*results.Run, error) {
	end := &results.End{
		Reason: "imported", Seconds: d.Seconds, After: d.After,
		Gates: d.Gates, Verdict: results.Pass,
	}
	for _, g := range d.Gates {
		if !g.Pass {
			end.Verdict = results.Fail
		}
	}
	for _, s := range d.series {
		s.finish()
		info := results.SeriesInfo{ID: s.ID, Labels: s.Labels}
		d.Header.Series = append(d.Header.Series, info)
		end.Series = append(end.Series, results.Total{SeriesInfo: info, Tally: s.Tally})
	}
	if d.err != nil {
		return nil, d.err
	}
	end.Warnings = d.Warnings
	run := &results.Run{Keep: results.KeepFigures, Intervals: make([]results.Interval, 0, d.intervals.Len())}
	if err := run.Put(&d.Header); err != nil {
		return nil, err
	}
	for _, iv := range d.intervals.All() {
		if err := run.Put(iv); err != nil {
			return nil, err
		}
	}
	for i := range d.spikes {
		if err := run.Put(&d.spikes[i]); err != nil {
			return nil, err
		}
	}
	return run, run.Put(end)
}

// finish works out what follows from the figures that the file told.
func (s *Series) finish() {
	if s.buckets.Len() > 0 || s.above > 0 {
		s.histogram()
	}
	t := &s.Tally
	if t.Missing.Has(results.NoCount | results.NoMean) {
		return
	}
	// With a count the mean is a sum as well, which merging runs needs.
	sum := math.Round(t.Average * float64(t.Count))
	if math.Abs(sum) < MaxFigure {
		t.Sum, t.Average = int64(sum), 0
	}
}

// histogram turns the buckets into a histogram. Samples that the file counts
// but has in no bucket are above all buckets: that is how every tool loses
// them. A percentile that falls among these stays missing.
func (s *Series) histogram() {
	var sum int64
	for _, b := range s.buckets.All() {
		if sum += b.N; sum < 0 || sum > MaxFigure {
			s.draft.Fail(fmt.Errorf("add up histogram: %w", errFigure))
			return
		}
	}
	switch t := &s.Tally; {
	case t.Missing.Has(results.NoCount):
		s.Count(sum + s.above)
	case t.Count > sum+s.above:
		s.above = t.Count - sum
	case t.Count < sum+s.above:
		s.draft.Warn("series %d: the histogram holds %d samples, the file counts %d", s.ID, sum+s.above, t.Count)
		t.Count = sum + s.above
	}
	h := results.Sparse(s.samples)
	s.Tally.Histogram = h
	for _, p := range []struct {
		q  float64
		is results.Missing
	}{
		{0.5, results.NoP50},
		{0.9, results.NoP90},
		{0.99, results.NoP99},
		{0.999, results.NoP99_9},
		{0.9999, results.NoP99_99},
		{0.99999, results.NoP99_999},
	} {
		if h.Count() > 0 && h.Quantile(p.q) <= results.Highest {
			s.know(p.is)
		}
	}
}

// samples yields all samples, as a time in ns and how many there are of it.
func (s *Series) samples(yield func(ns, n int64) bool) {
	for _, b := range s.buckets.All() {
		if !yield(s.within(b.NS), b.N) {
			return
		}
	}
	above := int64(math.MaxInt64)
	if s.above == 1 && !s.Tally.Missing.Has(results.NoMax) {
		above = s.Tally.Max // the only one above is the maximum
	}
	yield(above, s.above)
}

// within keeps a bucket's middle between the minimum and the maximum.
func (s *Series) within(ns int64) int64 {
	if !s.Tally.Missing.Has(results.NoMin) {
		ns = max(ns, s.Tally.Min)
	}
	if !s.Tally.Missing.Has(results.NoMax) {
		ns = min(ns, s.Tally.Max)
	}
	return ns
}

// Clock turns hh:mm:ss into seconds; hours may have any number of digits.
func Clock(text []byte) (float64, bool) {
	var parts [3]int64
	field, digits := 0, 0
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9' && digits < 9:
			parts[field] = parts[field]*10 + int64(c-'0')
			digits++
		case c == ':' && digits > 0 && field < 2:
			field, digits = field+1, 0
		default:
			return 0, false
		}
	}
	if field != 2 || digits == 0 {
		return 0, false
	}
	return float64(parts[0])*3600 + float64(parts[1])*60 + float64(parts[2]), true
}
