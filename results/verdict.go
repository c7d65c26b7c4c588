package results

import (
	"fmt"
	"slices"
	"time"
)

// Status is the exit status that a verdict stands for.
func (v Verdict) Status() int {
	switch v {
	case VerdictError:
		return 1
	case Fail:
		return 3
	case Contradicts:
		return 5
	}
	return 0
}

// Judge returns the verdict of a run from its figures and gates; failed says
// that measuring broke down. Where several verdicts apply the order is error,
// contradicts, fail, pass.
func Judge(end *End, period time.Duration, failed bool) Verdict {
	switch {
	case failed:
		return VerdictError
	case len(Contradictions(end, period)) > 0:
		return Contradicts
	case slices.ContainsFunc(end.Gates, func(g Gate) bool { return !g.Pass }):
		return Fail
	}
	return Pass
}

// Contradictions says where the totals of a run can't be true: a negative
// latency (a timer never fires early), samples, overruns, unrecorded and
// throttled periods that don't make up the elapsed ones give or take one
// (period 0: not checked), or figures out of order. Each is a sentence.
func Contradictions(end *End, period time.Duration) []string {
	var list []string
	for i := range end.Series {
		s := &end.Series[i]
		say := func(format string, args ...any) {
			list = append(list, fmt.Sprintf("series %d: ", s.ID)+fmt.Sprintf(format, args...))
		}
		if s.Samples() > 0 {
			s.contradictions(say)
		}
		if period <= 0 || s.Missing.Has(NoCount|NoOverruns) {
			continue
		}
		got, want := s.Count+s.Overruns+s.Unrecorded+s.Throttled, int64(end.Seconds*1e9/float64(period))
		if got < want-1 || got > want+1 {
			say("%d samples, %d overruns, %d unrecorded and %d throttled periods are %d, but %d periods elapsed",
				s.Count, s.Overruns, s.Unrecorded, s.Throttled, got, want)
		}
	}
	return list
}

// contradictions says what is wrong with the latencies of one series.
func (s *Total) contradictions(say func(string, ...any)) {
	if s.Min < 0 && !s.Missing.Has(NoMin) {
		say("a negative latency of %d ns", s.Min)
	}
	if s.Histogram == nil {
		return
	}
	if n := s.Histogram.Count(); n != s.Count {
		say("%d samples, but %d in the histogram", s.Count, n)
	}
	if s.Count == 0 || s.Missing.Has(NoMin|NoMax) {
		return
	}
	// The middle of the samples by the histogram alone, which knows it to a
	// thousandth: Quantile would force it between the extremes.
	if p50 := s.Histogram.Quantile(0.5); s.Min > p50 || p50-p50/512-1 > s.Max {
		say("minimum %d ns, median %d ns and maximum %d ns are out of order", s.Min, p50, s.Max)
	}
}

// Differences says where the intervals of a run don't add up to its end. The
// run must have kept at least the figures of its intervals.
func (r *Run) Differences() []string {
	if r.End == nil || r.Keep == KeepTotals {
		return nil
	}
	var list []string
	for _, total := range r.End.Series {
		for _, sum := range r.summed {
			if sum.ID == total.ID && (sum.Count != total.Count || sum.Overruns != total.Overruns || sum.Sum != total.Sum) {
				list = append(list, fmt.Sprintf("series %d: the intervals add up to %d samples, %d overruns and %d ns, the end says %d, %d and %d",
					sum.ID, sum.Count, sum.Overruns, sum.Sum, total.Count, total.Overruns, total.Sum))
			}
		}
	}
	return list
}
