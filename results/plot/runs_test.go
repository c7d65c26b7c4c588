package plot_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"worstcase/results"
	"worstcase/results/plot"
)

// A made run is reproducible: the same seed gives the same samples.
type made struct {
	label   string
	cpus    int
	seconds int
	rate    int     // samples a second
	base    float64 // ns, the least possible
	seed    uint64
	spike   int64 // ns, one sample in the middle; 0: none
}

// run makes a run as a session would: intervals of a second with histograms.
// Latencies are the base plus a log-normal part, a few of them tenfold.
func (m made) run() *results.Run {
	r, _ := m.both()
	return r
}

// both makes the run and its columns.
func (m made) both() (*results.Run, *plot.Columns) {
	rnd := rand.New(rand.NewPCG(m.seed, 1))
	r, columns := new(results.Run), new(plot.Columns)
	h := new(results.Histogram)
	head := &results.Header{Tool: "latency", Label: m.label}
	for cpu := range m.cpus {
		info := results.SeriesInfo{ID: cpu, Labels: results.Labels{"cpu": fmt.Sprint(cpu)}}
		head.Series = append(head.Series, info)
	}
	put(r, head)
	for s := range m.seconds {
		for cpu := range m.cpus {
			v := results.Interval{Series: cpu, At: int64(s+1) * 1e9, Seconds: 1}
			h.Reset()
			v.Histogram = h
			for k := range m.rate {
				ns := int64(m.base * (1 + 0.3*float64(cpu)) * (0.6 + math.Exp(0.35*rnd.NormFloat64())))
				if rnd.IntN(20000) == 0 {
					ns *= 4
				}
				if m.spike > 0 && s == m.seconds/2 && k == m.rate/2 && cpu == 0 {
					ns = m.spike
				}
				if v.Count++; v.Count == 1 || ns < v.Min {
					v.Min = ns
				}
				if ns > v.Max {
					v.Max, v.MaxAt = ns, int64(s)*1e9+int64(k)*int64(1e9/m.rate)
				}
				v.Sum += ns
				v.Histogram.Record(ns)
			}
			put(r, &v)
			if err := columns.Put(&v); err != nil {
				panic(err)
			}
		}
	}
	return r, columns
}

func put(r *results.Run, rec results.Record) {
	if err := r.Put(rec); err != nil {
		panic(err)
	}
}

// several are runs of kernels each slower than the one before, the third with
// a spike.
func several(n, cpus int) (list []made) {
	for i := range n {
		m := made{label: fmt.Sprintf("6.1.0-%d-rt", 57+i), cpus: cpus, seconds: 30, rate: 2000, base: 4000 * (1 + 0.25*float64(i)), seed: uint64(i)}
		if i == 2 {
			m.spike = 213_000
		}
		list = append(list, m)
	}
	return list
}
