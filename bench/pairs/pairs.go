// Package pairs tells from interleaved pairs of runs how two programs stand to
// each other.
package pairs

import (
	"fmt"
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

// Median of x, NaN without any.
func Median(x []float64) float64 {
	m, err := stats.Median(x)
	if err != nil {
		return math.NaN()
	}
	return m
}

// Ratio tells the median of the pairs' ratios ours / theirs and its 95 %
// interval, and the medians and minima of both.
func Ratio(what, unit string, ours, theirs []float64, rival string) string {
	r := Ratios(ours, theirs)
	low, high := Interval(r)
	return fmt.Sprintf("%-24s ratio %.3f (%.3f to %.3f); worstcase median %.5g %s, min %.5g; %s median %.5g %s, min %.5g; %d pairs",
		what, Median(r), low, high, Median(ours), unit, slices.Min(ours), rival, Median(theirs), unit, slices.Min(theirs), len(ours))
}

// Ratios are those of the pairs.
func Ratios(ours, theirs []float64) []float64 {
	r := make([]float64, len(ours))
	for i := range ours {
		r[i] = ours[i] / theirs[i]
	}
	return r
}

// Interval is the distribution-free 95 % confidence interval of the median: the
// k-th smallest and k-th largest value, k from the binomial distribution (the
// sign test turned round; Conover, Practical Nonparametric Statistics, 3.2). Of
// fewer than six values it is their range, which covers less.
func Interval(x []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(x))
	n := len(sorted)
	tail, k := 0.0, 0
	for choose := 1.0; k < n/2; k++ {
		tail += choose * math.Pow(0.5, float64(n))
		if tail > 0.025 {
			break
		}
		choose = choose * float64(n-k) / float64(k+1)
	}
	k = max(k, 1)
	return sorted[k-1], sorted[n-k]
}
