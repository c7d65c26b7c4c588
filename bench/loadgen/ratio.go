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

// printRatio prints the median of the pairs' ratios and its 95 % interval, and
// the medians of both sides.
func printRatio(what, theirName, unit string, ours, theirs []float64) {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / theirs[i]
	}
	low, high := interval(ratios)
	fmt.Printf("%-24s ratio %.2f (%.2f to %.2f); worstcase median %.6g %s, %s %.6g; %d pairs\n",
		what, median(ratios), low, high, median(ours), unit, theirName, median(theirs), len(ours))
}

// interval is the distribution-free 95 % confidence interval of the median: the
// k-th smallest and k-th largest value, k from the binomial distribution (the
// sign test turned round; Conover, Practical Nonparametric Statistics, 3.2). Of
// fewer than six values it is their range, which covers less.
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
