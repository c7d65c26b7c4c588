package results

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Status is the exit status that v stands for, 1 for a run without a verdict,
// such as one that was cut short.
func (v Verdict) Status() int {
	switch v {
	case Pass:
		return 0
	case Fail:
		return 3
	case Contradicts:
		return 5
	}
	return 1
}

// Worst returns the verdict on several runs together. It is the first that
// applies of VerdictError, Contradicts, Fail and Pass; a run without a verdict
// counts as an error, and no runs at all pass.
func Worst(verdicts ...Verdict) Verdict {
	for _, v := range []Verdict{VerdictError, Contradicts, Fail} {
		if slices.ContainsFunc(verdicts, func(o Verdict) bool { return o.Status() == v.Status() }) {
			return v
		}
	}
	return Pass
}

// Judge returns the verdict on a run that ended as end says, from its figures,
// its gates and its reason. Failed says that measuring broke down; period is
// the time between samples, 0 where they have none.
func Judge(end *End, period time.Duration, failed bool) Verdict {
	switch {
	case failed:
		return VerdictError
	case len(Contradictions(end, period)) > 0:
		return Contradicts
	case end.Reason == "break", slices.ContainsFunc(end.Gates, func(g Gate) bool { return !g.Pass }):
		return Fail
	}
	return Pass
}

// Contradictions says, a line each, which figures of end can't be true: a
// negative latency; samples, missed periods and what was lost, each of which had
// a period of its own, that together aren't the elapsed time in periods, to one;
// figures of one series that no set of samples has. Period is 0 where samples have none. It is empty for a sound
// run. Of other tools' runs only the last is asked: their timers fire early to
// be in time, and their times are whole seconds.
func Contradictions(end *End, period time.Duration) []string {
	var list []string
	for i := range end.Series {
		t := &end.Series[i]
		say := func(format string, args ...any) {
			list = append(list, fmt.Sprintf("series %d: ", t.ID)+fmt.Sprintf(format, args...))
		}
		imported := end.Reason == ReasonImported
		if period > 0 && !imported && !t.Missing.Has(NoCount|NoOverruns) {
			slots := t.Samples() + t.Overruns + t.Throttled + t.Lost
			if n := end.Seconds * 1e9 / float64(period); float64(slots) < math.Floor(n)-1 || float64(slots) > math.Ceil(n)+1 {
				say("%d samples, %d missed periods and %d lost in %g s, which has %.0f periods", t.Samples(), t.Overruns+t.Throttled, t.Lost, end.Seconds, n)
			}
		}
		if !t.Empty() {
			if !imported && !t.Missing.Has(NoMin) && t.Min < 0 {
				say("a latency of %d ns: nothing ends before it begins", t.Min)
			}
			contradictLatencies(&t.Tally, say)
		}
	}
	return list
}

// contradictLatencies holds minimum, mean, median and maximum against each other.
func contradictLatencies(t *Tally, say func(format string, args ...any)) {
	if !t.Missing.Has(NoMin|NoMax) && t.Min > t.Max {
		say("minimum %d ns is above maximum %d ns", t.Min, t.Max)
	}
	if mean := t.Mean(); !t.Missing.Has(NoMin|NoMean|NoMax) && (mean < float64(t.Min) || mean > float64(t.Max)) {
		say("mean %.0f ns is outside of %d to %d ns", mean, t.Min, t.Max)
	}
	h := t.Histogram
	if h == nil || t.Missing.Has(NoCount) {
		return
	}
	if h.Count() != t.Count {
		say("the histogram holds %d samples of %d", h.Count(), t.Count)
	}
	p50 := h.Quantile(0.5)
	if p50 < 0 || p50 > Highest || h.Count() == 0 || t.Missing.Has(NoMin|NoMax) {
		return
	}
	if p50 < t.Min {
		say("minimum %d ns is above the median, %d ns", t.Min, p50)
	}
	if low, _ := bounds(index(p50)); low > t.Max {
		say("the median, %d ns, is above maximum %d ns", low, t.Max)
	}
}

// Check says, a line each, what contradicts in a whole run that was read: the
// Contradictions of its end, with the period that these want, and intervals
// that don't add up to it. What a log lacks, since it could not be written or
// was torn, isn't missed; other tools leave out their last second; and with
// KeepTotals the intervals aren't known. A run without an end contradicts
// nothing.
func (r *Run) Check(period time.Duration) []string {
	end := r.End
	if end == nil {
		return nil
	}
	list := Contradictions(end, period)
	if r.Keep == KeepTotals || r.incomplete || end.Unlogged > 0 || len(r.Intervals) == 0 || end.Reason == ReasonImported {
		return list
	}
	for i := range end.Series {
		t := &end.Series[i]
		sum := &total(&r.summed, t.ID).Tally
		if sum.Count != t.Count || sum.Sum != t.Sum || sum.Overruns != t.Overruns || sum.Lost != t.Lost ||
			sum.Unrecorded != t.Unrecorded || !t.Empty() && (sum.Min != t.Min || sum.Max != t.Max) {
			list = append(list, fmt.Sprintf("series %d: the intervals don't add up to the end: %d samples, %d overruns, %d to %d ns against %d, %d, %d to %d",
				t.ID, sum.Count, sum.Overruns, sum.Min, sum.Max, t.Count, t.Overruns, t.Min, t.Max))
		}
	}
	return list
}
