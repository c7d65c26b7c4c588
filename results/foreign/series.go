package foreign

import (
	"fmt"
	"math"

	"worstcase/results"
)

// A Series collects the figures of one series of a Draft. Times are in ns.
type Series struct {
	ID      int
	Labels  results.Labels
	Tally   results.Tally // what is known so far
	Thread  int           // the kernel's id of the thread, 0 when unknown
	Last    int64         // the newest sample, 0 when unknown
	draft   *Draft
	buckets List[Bucket]
	above   int64
}

// A Bucket holds N samples that count as NS each, in ns.
type Bucket struct{ NS, N int64 }

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
		s.draft.Warn("series %d: the histogram holds %s, the file counts %d", s.ID, results.Counted(sum+s.above, "sample"), t.Count)
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
