package results

// Add makes t the figures of both stretches together. A histogram that one of
// them lacks, though it has samples, can't be made up for: the sum has none. It
// takes no memory from o.
func (t *Tally) Add(o *Tally) {
	t.addHistogram(o)
	t.addFigures(o)
}

func (t *Tally) addHistogram(o *Tally) {
	switch {
	case o.Count == 0:
	case t.Count == 0:
		t.Histogram = o.Histogram.Clone()
	case t.Histogram != nil && o.Histogram != nil:
		t.Histogram.Add(o.Histogram)
	default:
		t.Histogram = nil
	}
}

func (t *Tally) addFigures(o *Tally) {
	if o.Empty() {
		t.addEvents(o)
		return
	}
	if t.Empty() {
		t.Min, t.Max, t.MaxAt, t.Average = o.Min, o.Max, o.MaxAt, o.Average
	} else {
		t.addAverage(o)
		t.Min = min(t.Min, o.Min)
		if o.Max > t.Max || o.Max == t.Max && o.MaxAt < t.MaxAt {
			t.Max, t.MaxAt = o.Max, o.MaxAt
		}
	}
	t.Count += o.Count
	t.Sum += o.Sum
	t.Unrecorded += o.Unrecorded
	t.addEvents(o)
}

func (t *Tally) addEvents(o *Tally) {
	t.Overruns += o.Overruns
	t.Lost += o.Lost
	t.Throttled += o.Throttled
	t.Switches += o.Switches
	t.Missing |= o.Missing
}

// addAverage weighs the means that importers found, and must come before the
// samples are added.
func (t *Tally) addAverage(o *Tally) {
	if t.Average == 0 && o.Average == 0 {
		return
	}
	n, m := float64(t.Samples()), float64(o.Samples())
	if n == 0 || m == 0 {
		t.Average = 0
		t.Missing |= NoMean
		return
	}
	t.Average = (t.Mean()*n + o.Mean()*m) / (n + m)
}

// Quantile returns the latency in ns at or below which the fraction q of the
// recorded samples lies, by the rule of Histogram.Quantile but never outside
// [Min, Max]: those are exact, and the ends of a bucket aren't. It is unknown
// without samples, where the histogram is missing, and where the rank falls among
// the samples above the histogram's range: of these only the last is known, Max.
func (t *Tally) Quantile(q float64) (ns int64, known bool) {
	if t.Count == 0 || t.Histogram == nil {
		return 0, false
	}
	ns = t.Histogram.Quantile(q)
	if n := t.Histogram.Count(); ns > Highest && rank(q, n) < n {
		return 0, false
	}
	return min(max(ns, t.Min), t.Max), true
}

// clone is an independent copy.
func (t Tally) clone() Tally {
	t.Histogram = t.Histogram.Clone()
	return t
}
