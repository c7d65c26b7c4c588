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
// interval, and the medians and minima in ns of both.
func Ratio(what string, ours, theirs []float64, name string) string {
	var r []float64
	for i := range ours {
		r = append(r, ours[i]/theirs[i])
	}
	low, high := Interval(r)
	return fmt.Sprintf("%-18s ratio %.3f (%.3f to %.3f); worstcase median %.0f ns, min %.0f; %s median %.0f ns, min %.0f",
		what, Median(r), low, high, Median(ours), slices.Min(ours), name, Median(theirs), slices.Min(theirs))
}

// Interval is the distribution-free 95 % confidence interval of the median: the
// k-th smallest and k-th largest value, k from the binomial distribution (the
// sign test turned round; Conover, Practical Nonparametric Statistics, 3.2).
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
