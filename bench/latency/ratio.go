package main

import "worstcase/bench/pairs"

// ratio compares one figure of all pairs.
func ratio(f figure, ours, theirs []sample) string {
	var a, b []float64
	for i := range ours {
		a, b = append(a, ours[i][f]), append(b, theirs[i][f])
	}
	return pairs.Ratio(f.String(), a, b, "cyclictest")
}
