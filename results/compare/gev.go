package compare

import (
	"math"
	"math/rand/v2"
)

// A GEV is a generalised extreme value distribution: what the maxima of long
// blocks tend to, whatever the latency's own distribution (Fisher and Tippett
// 1928; Coles, "An Introduction to Statistical Modeling of Extreme Values",
// Springer 2001, theorem 3.1).
type GEV struct {
	Location float64 `json:"location_ns"`
	Scale    float64 `json:"scale_ns"`
	// Shape is positive for heavy tails, 0 for Gumbel's distribution, negative
	// where there is an upper end.
	Shape float64 `json:"shape"`
}

// Quantile returns the value below which a block's maximum stays with
// probability p.
func (g GEV) Quantile(p float64) float64 { return g.quantile(-math.Log(p)) }

// quantile takes -log p: near 1, p itself has no digits left.
func (g GEV) quantile(y float64) float64 {
	if math.Abs(g.Shape) < 1e-9 {
		return g.Location - g.Scale*math.Log(y)
	}
	return g.Location + g.Scale*math.Expm1(-g.Shape*math.Log(y))/g.Shape
}

// CDF returns the probability that a block's maximum is at most x.
func (g GEV) CDF(x float64) float64 {
	z := (x - g.Location) / g.Scale
	if math.Abs(g.Shape) < 1e-9 {
		return math.Exp(-math.Exp(-z))
	}
	s := 1 + g.Shape*z
	if s <= 0 {
		if g.Shape > 0 {
			return 0
		}
		return 1
	}
	return math.Exp(-math.Pow(s, -1/g.Shape))
}

// sample fills x with a sorted sample. Exponential spacings give sorted uniform
// values without sorting (Devroye, "Non-Uniform Random Variate Generation",
// 1986, section V.3).
func (g GEV) sample(x []float64, rng *rand.Rand) {
	sum := 0.0
	for i := range x {
		sum += rng.ExpFloat64()
		x[i] = sum
	}
	sum += rng.ExpFloat64()
	for i := range x {
		x[i] = g.quantile(-math.Log(x[i] / sum))
	}
}

// fitGEV fits sorted maxima by L-moments (Hosking, Wallis and Wood, "Estimation
// of the generalized extreme-value distribution by the method of
// probability-weighted moments", Technometrics 27, 1985), which is steadier than
// the largest likelihood in samples of some hundreds. The shape solves the
// equation of the L-skewness exactly and is never forced to 0. It reports false
// when the maxima are all equal.
func fitGEV(sorted []float64) (GEV, bool) {
	l1, l2, l3 := lMoments(sorted)
	if !(l2 > 0) {
		return GEV{}, false
	}
	// Hosking's k is the negative shape. The L-skewness falls as k rises.
	skewness := l3 / l2
	k := solve(-0.999, 20, func(k float64) float64 { return skewness - gevSkewness(k) })
	g := GEV{Shape: -k}
	if math.Abs(k) < 1e-9 {
		const euler = 0.57721566490153286
		g.Scale = l2 / math.Ln2
		g.Location = l1 - euler*g.Scale
		return g, true
	}
	gamma := math.Gamma(1 + k)
	g.Scale = l2 * k / (-math.Expm1(-k*math.Ln2) * gamma)
	g.Location = l1 - g.Scale*(1-gamma)/k
	return g, g.Scale > 0 && !math.IsInf(g.Scale, 0)
}

// gevSkewness is the L-skewness of a GEV with Hosking's k.
func gevSkewness(k float64) float64 {
	if math.Abs(k) < 1e-9 {
		return 2*math.Log(3)/math.Ln2 - 3
	}
	return 2*math.Expm1(-k*math.Log(3))/math.Expm1(-k*math.Ln2) - 3
}

// solve finds where the rising function f crosses 0 between low and high by
// halving, or returns the nearer end.
func solve(low, high float64, f func(float64) float64) float64 {
	for range 60 {
		middle := (low + high) / 2
		if f(middle) > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	return (low + high) / 2
}

// lMoments returns the first three sample L-moments of sorted values, unbiased
// (Hosking, "L-moments: analysis and estimation of distributions using linear
// combinations of order statistics", Journal of the Royal Statistical Society B
// 52, 1990).
func lMoments(sorted []float64) (l1, l2, l3 float64) {
	var b0, b1, b2 float64
	n := float64(len(sorted))
	for i, x := range sorted {
		j := float64(i)
		b0 += x
		b1 += x * j / (n - 1)
		b2 += x * j / (n - 1) * (j - 1) / (n - 2)
	}
	b0, b1, b2 = b0/n, b1/n, b2/n
	return b0, 2*b1 - b0, 6*b2 - 6*b1 + b0
}

// andersonDarling measures how far sorted maxima are from g, with weight on both
// tails (Anderson and Darling, "A test of goodness of fit", Journal of the
// American Statistical Association 49, 1954).
func andersonDarling(sorted []float64, g GEV) float64 {
	n := len(sorted)
	f := make([]float64, n)
	for i, x := range sorted {
		f[i] = min(max(g.CDF(x), 1e-12), 1-1e-12)
	}
	sum := 0.0
	for i := range f {
		sum += float64(2*i+1) * (math.Log(f[i]) + math.Log1p(-f[n-1-i]))
	}
	return -float64(n) - sum/float64(n)
}
