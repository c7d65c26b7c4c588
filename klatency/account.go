package klatency

import (
	"cmp"
	"slices"
	"strings"

	"worstcase/results"
)

// An Account sums up the stages of all wake-ups of one series, and keeps the
// worst ones.
type Account struct {
	// Count is the number of wake-ups in it.
	Count int64
	// Alone is the number of samples whose wake-up was not seen whole. They are
	// in no stage, but may be among the worst.
	Alone int64

	histograms [Stages]results.Histogram
	sums       [Stages]int64
	least      Durations
	most       Durations
	worst      []worst
	keep       int
	fresh      bool // worst has changed
}

// A worst is one of the longest wake-ups.
type worst struct {
	due     int64
	latency int64
	Division
}

// add adds the wake-up w of the thread, which lasted from its due time to end.
// d is memory for the division.
func (a *Account) add(w *Wakeup, tid int, end int64, d *Division) {
	latency := end - w.Due
	worse := a.keep > 0 && (len(a.worst) < a.keep || latency > a.worst[len(a.worst)-1].latency)
	w.Divide(tid, end, worse, d)
	if w.whole() {
		a.count(d)
	} else {
		a.Alone++
	}
	if worse {
		kept := *d
		kept.Shares = slices.Clone(d.Shares)
		a.insert(worst{due: w.Due, latency: latency, Division: kept})
	}
}

// count adds a wake-up to the stages.
func (a *Account) count(d *Division) {
	for s, ns := range d.Durations {
		a.histograms[s].Record(ns)
		a.sums[s] += ns
		if a.Count == 0 || ns < a.least[s] {
			a.least[s] = ns
		}
		a.most[s] = max(a.most[s], ns)
	}
	a.Count++
}

// insert keeps the worst in order, longest first.
func (a *Account) insert(w worst) {
	i, _ := slices.BinarySearchFunc(a.worst, w, func(a, b worst) int { return cmp.Compare(b.latency, a.latency) })
	a.worst, a.fresh = slices.Insert(a.worst, i, w), true
	if len(a.worst) > a.keep {
		a.worst = a.worst[:a.keep]
	}
}

// A Figure is what one stage took, in ns.
type Figure struct {
	Min, P99, Max int64
	Mean          float64
	// Worst is the mean over the worst wake-ups that were kept.
	Worst float64
}

// Figure returns those of a stage.
func (a *Account) Figure(s Stage) Figure {
	if a.Count == 0 {
		return Figure{}
	}
	f := Figure{
		Min: a.least[s], Max: a.most[s],
		P99: min(a.histograms[s].Quantile(0.99), a.most[s]), Mean: float64(a.sums[s]) / float64(a.Count),
	}
	for _, w := range a.worst {
		f.Worst += float64(w.Durations[s]) / float64(len(a.worst))
	}
	return f
}

// typical is the median of each stage.
func (a *Account) typical() (d Durations) {
	for s := range Stages {
		d[s] = a.histograms[s].Quantile(0.5)
	}
	return d
}

// spikes returns at most n of the worst wake-ups, longest first; At is
// in ns since start.
func (a *Account) spikes(series, n int, start int64) []results.Spike {
	typical := a.typical()
	var list []results.Spike
	for _, w := range a.worst[:min(n, len(a.worst))] {
		spike := results.Spike{Series: series, At: w.due - start, Latency: w.latency, Blamed: w.Blame(&typical), Stages: map[string]int64{}}
		for s, ns := range w.Durations {
			if ns > 0 {
				spike.Stages[Stage(s).Key()] = ns
			}
		}
		list = append(list, spike)
	}
	return list
}

// figures adds those of an account, with keys that begin with prefix.
func (a *Account) figures(into results.Figures, prefix string) {
	if a.Alone > 0 {
		into[prefix+"unseen"] = float64(a.Alone)
	}
	if a.Count == 0 {
		return
	}
	for s := range Stages {
		f, key := a.Figure(s), prefix+strings.TrimSuffix(s.Key(), "_ns")
		into[key+".min_ns"], into[key+".mean_ns"] = float64(f.Min), f.Mean
		into[key+".p99_ns"], into[key+".max_ns"] = float64(f.P99), float64(f.Max)
		into[key+".worst_ns"] = f.Worst
	}
}
