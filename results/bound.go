package results

import (
	"math"
	"slices"
)

// A Bound says how much the maximum of a series is worth. When the largest of
// n independent blocks is known, the probability that a further block exceeds
// it is below 3/n at 95 % confidence: the probability in question is
// Beta(1, n) distributed whatever the latencies' own distribution, so that
// P(it is > p) = (1-p)ⁿ, which is 5 % at p = 1 - 0.05^(1/n) < 3/n (Wilks 1941,
// "Determination of sample sizes for setting tolerance limits"; Hanley and
// Lippman-Hand 1983, "If nothing goes wrong, is everything all right?").
type Bound struct {
	// Blocks is n, 0 when no block length made the blocks independent, or when
	// the run keeps no intervals to find one.
	Blocks int
	// BlockSeconds is the length of a block.
	BlockSeconds float64
	// Exceed bounds the probability that a further block exceeds the maximum,
	// 1 when Blocks is below 3.
	Exceed float64
	// IfIndependent is 3/samples, the bound for a single sample if samples were
	// independent of each other, which they hardly are.
	IfIndependent float64
}

// Bound returns the worth of the maximum of one series. Blocks are whole
// numbers of intervals, just longer than the autocorrelation of the intervals'
// means and of their maxima (see BlockLength).
func (r *Run) Bound(series int) Bound {
	b := Bound{Exceed: 1, IfIndependent: 1}
	var means, maxima []float64
	var seconds float64
	for i := range r.Intervals {
		iv := &r.Intervals[i]
		if iv.Series != series {
			continue
		}
		seconds += iv.Seconds
		if iv.Samples() > 0 && !iv.Missing.Has(NoMean|NoMax) {
			means = append(means, iv.Mean())
			maxima = append(maxima, float64(iv.Max))
		}
	}
	for _, t := range r.Totals() {
		if n := t.Samples(); t.ID == series && n > 0 {
			b.IfIndependent = min(1, 3/float64(n))
		}
	}
	ofMeans, ofMaxima := BlockLength(means), BlockLength(maxima)
	if ofMeans == 0 || ofMaxima == 0 {
		return b
	}
	length := max(ofMeans, ofMaxima)
	b.Blocks = len(means) / length
	b.BlockSeconds = float64(length) * seconds / float64(len(means))
	b.Exceed = min(1, 3/float64(b.Blocks))
	return b
}

// BlockLength returns the first lag at which the autocorrelation of x falls
// into the band of ±1.96/√n, in which 95 % of the values for white noise lie
// (Bartlett 1946; Box and Jenkins, "Time Series Analysis", 2.1.6). It is 1 for
// independent values. It is 0 when there is none up to n/4, where the estimate
// ceases to be sound, or up to a thousand: the values drift.
func BlockLength(x []float64) int {
	n := len(x)
	longest := min(n/4, 1000)
	if n == 0 || slices.Min(x) == slices.Max(x) {
		return min(longest, 1)
	}
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(n)
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean)
	}
	band := 1.96 / math.Sqrt(float64(n))
	for lag := 1; lag <= longest; lag++ {
		var c float64
		for i := lag; i < n; i++ {
			c += (x[i] - mean) * (x[i-lag] - mean)
		}
		if math.Abs(c/variance) < band {
			return lag
		}
	}
	return 0
}
