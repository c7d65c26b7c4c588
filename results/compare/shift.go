package compare

import (
	"math"
	"slices"
)

// A Range is an interval of confidence.
type Range struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	// Confidence is the level that the interval really has, at least the one
	// asked for; 0 when it is not known exactly.
	Confidence float64 `json:"confidence,omitempty"`
}

// Contains says whether x is in the interval.
func (r Range) Contains(x float64) bool { return r.Low <= x && x <= r.High }

// shiftInterval is an interval of confidence for how far b lies above a, when
// the two differ by a shift: the differences of all pairs of runs, without as
// many of the smallest and largest as the rank-sum test cannot tell apart
// (Hodges and Lehmann, "Estimates of location based on rank tests", Annals of
// Mathematical Statistics 34, 1963; Hollander, Wolfe and Chicken,
// "Nonparametric Statistical Methods", section 4.3). It is exact for any shape
// of the runs' distribution, ties make it wider, and it exists from four
// against four at 95 %. It is widened, where needed, to hold the difference of
// medians that stands beside it.
func shiftInterval(a, b []float64, confidence float64) (Range, bool) {
	m, n := len(a), len(b)
	below := rankSumDistribution(m, n)
	// cut is the number of differences dropped at each end.
	cut, tail := -1, 0.0
	for u, p := range below {
		if tail+p > (1-confidence)/2 || 2*(u+1) > m*n {
			break
		}
		tail += p
		cut = u
	}
	if cut < 0 {
		return Range{}, false
	}
	differences := make([]float64, 0, m*n)
	for _, x := range a {
		for _, y := range b {
			differences = append(differences, y-x)
		}
	}
	slices.Sort(differences)
	r := Range{differences[cut], differences[m*n-1-cut], 1 - 2*tail}
	d := median(b) - median(a)
	r.Low, r.High = math.Min(r.Low, d), math.Max(r.High, d)
	return r, true
}

// rankSumDistribution returns P(U = u) of the Mann–Whitney statistic of m
// against n for u = 0 … mn, without ties. It follows the recurrence of Mann and
// Whitney, "On a test of whether one of two random variables is stochastically
// larger than the other", 1947.
func rankSumDistribution(m, n int) []float64 {
	// ways[j][u]: arrangements of i and j runs with statistic u.
	ways := make([][]float64, n+1)
	for j := range ways {
		ways[j] = []float64{1}
	}
	for i := 1; i <= m; i++ {
		next := make([][]float64, n+1)
		next[0] = []float64{1}
		for j := 1; j <= n; j++ {
			w := make([]float64, i*j+1)
			for u, x := range ways[j] { // the largest is of the first kind: j below it
				w[u+j] += x * float64(i) / float64(i+j)
			}
			for u, x := range next[j-1] { // the largest is of the second kind
				w[u] += x * float64(j) / float64(i+j)
			}
			next[j] = w
		}
		ways = next
	}
	return ways[n]
}
