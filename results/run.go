package results

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Keep says what a Run keeps of its intervals. The totals of its series are
// kept whole in any case.
type Keep int

const (
	// KeepFigures keeps every interval without its histogram: some 120 bytes a
	// second and series.
	KeepFigures Keep = iota
	// KeepTotals keeps no interval.
	KeepTotals
	// KeepAll keeps the histograms as well: some 20 kB a second and series.
	KeepAll
)

// A Run is one whole run, collected from its records: it is a Sink. The zero
// value is ready.
type Run struct {
	Header
	// Source is where the run was read from, such as a file name; "" when live.
	Source    string
	Keep      Keep
	Intervals []Interval
	Loads     []Load
	Spikes    []Spike
	// End is nil while the run goes on, and for ever when it was cut short.
	End *End
	// Warnings are what a reader noticed and left out, such as torn lines. The
	// run's own warnings are in End.
	Warnings []string

	started bool
	// incomplete says that a reader passed over lines which may have been the
	// run's.
	incomplete bool
	at         int64   // the end of what was measured, in ns since T0
	totals     []Total // from the last checkpoint and the intervals after it
	summed     []Total // from the intervals alone, without histograms
}

// Put takes the next record. It copies what it keeps, and returns an error
// when r isn't the record of one run: the first must be a Header, no other may
// be, and nothing follows an End.
func (r *Run) Put(rec Record) error {
	switch rec := rec.(type) {
	case *Interval:
		own := *rec
		if r.Keep == KeepAll {
			own.Histogram = rec.Histogram.Clone()
		}
		return r.take(&own)
	case *Checkpoint:
		return r.take(&Checkpoint{At: rec.At, Series: cloneTotals(rec.Series)})
	case *End:
		own := *rec
		own.Series = cloneTotals(rec.Series)
		return r.take(&own)
	}
	return r.take(rec)
}

// take is Put for records that the run may keep.
func (r *Run) take(rec Record) error {
	if _, first := rec.(*Header); first == r.started {
		return fmt.Errorf("take %s record: a run has one header, and that comes first", rec.recordType())
	}
	if r.End != nil {
		return fmt.Errorf("take %s record: the run has ended", rec.recordType())
	}
	switch rec := rec.(type) {
	case *Header:
		r.started = true
		r.Header = *rec
		for _, s := range rec.Series {
			r.totals = append(r.totals, Total{SeriesInfo: s})
			r.summed = append(r.summed, Total{SeriesInfo: s})
		}
	case *Interval:
		total(&r.totals, rec.Series).Add(&rec.Tally)
		r.keep(rec)
	case *Load:
		r.Loads = append(r.Loads, *rec)
	case *Spike:
		r.spike(rec)
	case *Checkpoint:
		r.at = max(r.at, rec.At)
		r.totals = rec.Series
	case *End:
		r.End = rec
	default:
		return errors.New("take a record of unknown type")
	}
	return nil
}

// spike takes one of the worst samples. In a run that was asked for some, one
// told again takes the place of what was told before, and the longest stay.
func (r *Run) spike(s *Spike) {
	wanted, ok := r.ConfigInt(ConfigSpikes)
	i := slices.IndexFunc(r.Spikes, func(o Spike) bool { return o.Series == s.Series && o.At == s.At })
	if ok && i >= 0 {
		r.Spikes[i] = *s
		return
	}
	r.Spikes = append(r.Spikes, *s)
	if ok && int64(len(r.Spikes)) > wanted {
		shortest := slices.MinFunc(r.Spikes, func(a, b Spike) int { return cmp.Compare(a.Latency, b.Latency) })
		r.Spikes = slices.DeleteFunc(r.Spikes, func(o Spike) bool { return o.Series == shortest.Series && o.At == shortest.At })
	}
}

// keep keeps iv as r.Keep says; it doesn't go into the totals.
func (r *Run) keep(iv *Interval) {
	r.at = max(r.at, iv.At)
	total(&r.summed, iv.Series).addFigures(&iv.Tally)
	switch r.Keep {
	case KeepAll:
		r.Intervals = append(r.Intervals, *iv)
	case KeepFigures:
		bare := *iv
		bare.Histogram = nil
		r.Intervals = append(r.Intervals, bare)
	}
}

// total finds the series in list, or adds it.
func total(list *[]Total, series int) *Total {
	l := *list
	if series >= 0 && series < len(l) && l[series].ID == series {
		return &l[series]
	}
	i := slices.IndexFunc(l, func(t Total) bool { return t.ID == series })
	if i < 0 {
		i = len(l)
		*list = append(l, Total{SeriesInfo: SeriesInfo{ID: series}})
	}
	return &(*list)[i]
}

func cloneTotals(list []Total) []Total {
	list = slices.Clone(list)
	for i := range list {
		list[i].Tally = list[i].clone()
	}
	return list
}

// Totals are the whole of every series: those of the End, or else of what was
// measured until now. The caller must not change them.
func (r *Run) Totals() []Total {
	if r.End != nil && len(r.End.Series) > 0 {
		return r.End.Series
	}
	return r.totals
}

// Truncated says that the run has no end: it still goes on, or was cut short.
func (r *Run) Truncated() bool { return r.End == nil }

// Of returns the intervals of one series, in order. It is empty when the run
// keeps no intervals.
func (r *Run) Of(series int) []Interval {
	var list []Interval
	for i := range r.Intervals {
		if r.Intervals[i].Series == series {
			list = append(list, r.Intervals[i])
		}
	}
	return list
}

// Seconds is the measured time, that of the intervals when there is no end.
func (r *Run) Seconds() float64 {
	if r.End != nil {
		return r.End.Seconds
	}
	return float64(r.at) / 1e9
}
