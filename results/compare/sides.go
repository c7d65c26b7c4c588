package compare

import (
	"math/rand/v2"
	"sync"
	"time"

	"worstcase/results"
)

// bootstraps is how many samples are drawn for the interval of a return level.
const bootstraps = 1000

// SideExtremes are the return levels of one series of one side.
type SideExtremes struct {
	Side   string         `json:"side"`
	Series results.Labels `json:"series,omitempty"`
	Name   string         `json:"name,omitempty"`
	*Extremes
}

// ExtremesOf fits the maxima of one series over the seconds of one or several
// runs, which must have kept their intervals. Series is the id of the series in
// each run. The samples must have one period.
func ExtremesOf(runs []*results.Run, series []int, seed uint64) *Extremes {
	var maxima [][]float64
	step := 0.0
	for i, r := range runs {
		var m []float64
		for k := range r.Intervals {
			iv := &r.Intervals[k]
			if iv.Series != series[i] || iv.Empty() || iv.Missing.Has(results.NoMax) {
				continue
			}
			step = max(step, iv.Seconds)
			// The last second may be short, and its maximum is not like the others.
			if iv.Seconds >= step {
				m = append(m, float64(iv.Max))
			}
		}
		maxima = append(maxima, m)
	}
	var period time.Duration
	if len(runs) > 0 {
		ns, _ := runs[0].ConfigInt(results.ConfigPeriod)
		period = time.Duration(ns)
	}
	return extremes(maxima, step, period, bootstraps, rand.New(rand.NewPCG(seed, 0x67657600)))
}

// sideExtremes fits every series of both sides, on all CPUs.
func sideExtremes(pairs []pairing, names [2]string, runs [2][]*results.Run, seed uint64) []SideExtremes {
	list := make([]SideExtremes, 0, 2*len(pairs))
	var wg sync.WaitGroup
	for _, p := range pairs {
		for side, totals := range [2][]*results.Total{p.a, p.b} {
			ids := make([]int, len(totals))
			for i, t := range totals {
				ids[i] = t.ID
			}
			list = append(list, SideExtremes{Side: names[side], Series: p.labels, Name: p.name})
			e := &list[len(list)-1]
			wg.Go(func() { e.Extremes = ExtremesOf(runs[side], ids, seed) })
		}
	}
	wg.Wait()
	return list
}
