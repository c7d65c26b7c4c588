package results

import (
	"math"

	"github.com/montanaflynn/stats"
)

// A Summary is the figures of a Tally that people read. Latencies are in ns,
// MaxAt counts from T0.
type Summary struct {
	Count      int64
	Min        int64
	Mean       float64
	P50        int64
	P90        int64
	P99        int64
	P999       int64 // the 99.9th percentile, and so on
	P9999      int64
	P99999     int64
	Max        int64
	MaxAt      int64
	Overruns   int64
	Lost       int64
	Unrecorded int64
	// Missing are the figures that have no meaning here: those that an imported
	// file doesn't tell, percentiles without a histogram, and all latencies when
	// nothing was measured.
	Missing Missing
}

// Summary returns the figures of t.
func (t *Tally) Summary() Summary {
	s := Summary{
		Count: t.Count, Min: t.Min, Mean: t.Mean(), Max: t.Max, MaxAt: t.MaxAt,
		Overruns: t.Overruns, Lost: t.Lost, Unrecorded: t.Unrecorded, Missing: t.Missing,
	}
	if t.Empty() {
		s.Missing |= NoMin | NoMean | NoMax | NoMaxAt
	}
	fields := [...]*int64{&s.P50, &s.P90, &s.P99, &s.P999, &s.P9999, &s.P99999}
	for i, p := range percentiles() {
		ns, known := t.Quantile(p.q)
		if !known {
			s.Missing |= p.none
		}
		*fields[i] = ns
	}
	return s
}

// A Spread describes one figure over several whole runs.
type Spread struct {
	N               int
	Mean, Median    float64
	StdDev          float64 // of the sample (n - 1); NaN below two runs
	Lowest, Highest float64
}

// Describe returns the spread of one figure of each run. All but N is NaN
// without runs.
func Describe(runs []float64) Spread {
	s := Spread{N: len(runs), StdDev: math.NaN()}
	// The library's only error is that of an empty list, for which it gives NaN.
	s.Mean, _ = stats.Mean(runs)
	s.Median, _ = stats.Median(runs)
	s.Lowest, _ = stats.Min(runs)
	s.Highest, _ = stats.Max(runs)
	if len(runs) > 1 {
		s.StdDev, _ = stats.StandardDeviationSample(runs)
	}
	return s
}
