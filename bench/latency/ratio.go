package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/montanaflynn/stats"
)

func median(x []float64) float64 {
	m, err := stats.Median(x)
	if err != nil {
		return math.NaN()
	}
	return m
}

// ratio tells the median of the pairs' ratios and its 95 % interval, and the
// medians and minima that both tools gave.
func ratio(f figure, ours, theirs []sample) string {
	var r, a, b []float64
	for i := range ours {
		a, b = append(a, ours[i][f]), append(b, theirs[i][f])
		r = append(r, ours[i][f]/theirs[i][f])
	}
	low, high := interval(r)
	return fmt.Sprintf("%-18s ratio %.3f (%.3f to %.3f); worstcase median %.0f ns, min %.0f; cyclictest median %.0f ns, min %.0f",
		f, median(r), low, high, median(a), slices.Min(a), median(b), slices.Min(b))
}

// interval is the distribution-free 95 % confidence interval of the median: the
// k-th smallest and k-th largest value, k from the binomial distribution (the
// sign test turned round; Conover, Practical Nonparametric Statistics, 3.2).
func interval(x []float64) (low, high float64) {
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
