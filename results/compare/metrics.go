package compare

import (
	"maps"
	"slices"
	"strings"

	"worstcase/results"
)

// A metric is a figure of one series of a run that runs are compared by. More of
// it is worse.
type metric struct {
	name string
	// unit is ns, or 1/h.
	unit string
	// of returns false where the figure is unknown or says nothing.
	of func(*results.Run, *results.Total) (float64, bool)
}

// metrics in the order in which they are shown.
func metrics() []metric {
	return []metric{
		{"mean", "ns", func(_ *results.Run, t *results.Total) (float64, bool) {
			return t.Mean(), !t.Empty() && !t.Missing.Has(results.NoMean)
		}},
		{"p50", "ns", percentile(0.5)},
		{"p99", "ns", percentile(0.99)},
		{"p99.9", "ns", percentile(0.999)},
		{"p99.99", "ns", percentile(0.9999)},
		{maxName, "ns", func(_ *results.Run, t *results.Total) (float64, bool) {
			return float64(t.Max), !t.Empty() && !t.Missing.Has(results.NoMax)
		}},
		{"overruns", "1/h", func(r *results.Run, t *results.Total) (float64, bool) {
			return float64(t.Overruns) / r.Seconds() * 3600, r.Seconds() > 0 && !t.Missing.Has(results.NoOverruns)
		}},
		{"lost", "1/h", func(r *results.Run, t *results.Total) (float64, bool) {
			return float64(t.Lost) / r.Seconds() * 3600, r.Seconds() > 0 && !t.Missing.Has(results.NoLost)
		}},
	}
}

// maxName is the metric that grows with the length of a run.
const maxName = "max"

// percentile is unknown when fewer samples were taken than it needs to differ
// from the maximum.
func percentile(q float64) func(*results.Run, *results.Total) (float64, bool) {
	return func(_ *results.Run, t *results.Total) (float64, bool) {
		ns, known := t.Quantile(q)
		return float64(ns), known && float64(t.Count)*(1-q) >= 1-1e-9
	}
}

// A pairing is a series that all runs of both sides have.
type pairing struct {
	labels results.Labels
	name   string           // among all pairs
	a, b   []*results.Total // by run
}

// pair finds the series that all runs have in common, by their labels. Runs that
// all have one series are compared whatever its labels are. It returns the names
// of the series that some run lacks.
func pair(a, b []*results.Run) (pairs []pairing, left []string) {
	byName := map[string]*pairing{}
	var names []string
	runs := slices.Concat(a, b)
	single := !slices.ContainsFunc(runs, func(r *results.Run) bool { return len(r.Totals()) != 1 })
	for i, r := range runs {
		totals := r.Totals()
		seen := map[string]bool{}
		for k := range totals {
			t := &totals[k]
			name := seriesKey(t.Labels)
			if single {
				name = ""
			}
			if seen[name] {
				continue
			}
			seen[name] = true
			p := byName[name]
			if p == nil {
				p = &pairing{labels: t.Labels}
				byName[name] = p
				names = append(names, name)
			}
			if i < len(a) {
				p.a = append(p.a, t)
			} else {
				p.b = append(p.b, t)
			}
		}
	}
	var infos []results.SeriesInfo
	for _, name := range names {
		if p := byName[name]; len(p.a) == len(a) && len(p.b) == len(b) {
			pairs = append(pairs, *p)
			infos = append(infos, results.SeriesInfo{Labels: p.labels})
		} else {
			left = append(left, name)
		}
	}
	for i, name := range results.Names(infos) {
		pairs[i].name = name
	}
	return pairs, left
}

// seriesKey joins labels as in "cpu=1 what=service", sorted by key.
func seriesKey(l results.Labels) string {
	parts := make([]string, 0, len(l))
	for _, key := range slices.Sorted(maps.Keys(l)) {
		parts = append(parts, key+"="+l[key])
	}
	return strings.Join(parts, " ")
}

// values of a metric in all runs of both sides; false when one lacks it.
func (p pairing) values(m metric, a, b []*results.Run) (va, vb []float64, known bool) {
	va, known = take(m, a, p.a)
	if !known {
		return nil, nil, false
	}
	vb, known = take(m, b, p.b)
	return va, vb, known
}

func take(m metric, runs []*results.Run, totals []*results.Total) ([]float64, bool) {
	v := make([]float64, len(runs))
	for i, r := range runs {
		x, known := m.of(r, totals[i])
		if !known {
			return nil, false
		}
		v[i] = x
	}
	return v, true
}
