package compare

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// longRun estimates what the variance of the mean of x is, times the number of
// values: the variance of one, and twice the covariance with each that follows.
// A first-order autoregression takes most of the dependence away, and a Bartlett
// kernel, as wide as Andrews' rule for such a series wants it, takes up what is
// left (Andrews and Monahan, "An improved heteroskedasticity and autocorrelation
// consistent covariance matrix estimator", Econometrica 60, 1992). independent is
// how many independent values tell as much.
func longRun(x []float64) (variance, independent float64) {
	n := float64(len(x))
	white, m := make([]float64, 0, len(x)), mean(x)
	rho := biasFree(x)
	for i := 1; i < len(x); i++ {
		white = append(white, (x[i]-m)-rho*(x[i-1]-m))
	}
	variance = bartlett(white) / (1 - rho) / (1 - rho)
	plain := deviation(x) * deviation(x)
	if !(variance > 0) || !(plain > 0) {
		return plain, n
	}
	return variance, min(n, n*plain/variance)
}

// surelyIndependent is how many independent values tell as much as x where its
// autocorrelation is one standard error above the estimate (Bartlett 1946): in
// short series that depend on each other strongly the estimate itself is often
// far too low.
func surelyIndependent(x []float64) float64 {
	n := float64(len(x))
	rho := biasFree(x)
	rho = min(rho+math.Sqrt((1-rho*rho)/n), 0.97)
	return n * (1 - rho) / (1 + rho)
}

// biasFree is the autocorrelation of neighbours, corrected for its bias in short
// series (Kendall, "Note on bias in the estimation of autocorrelation",
// Biometrika 41, 1954) and bounded by 0.97, as Andrews and Monahan do.
func biasFree(x []float64) float64 {
	n := float64(len(x))
	return min(max(lagOne(x), -0.97)*(1+3/n)+1/n, 0.97)
}

// lagOne is the autocorrelation of neighbours, 0 where nothing varies.
func lagOne(x []float64) float64 {
	m, c, v := mean(x), 0.0, 0.0
	for i := range x {
		v += (x[i] - m) * (x[i] - m)
		if i > 0 {
			c += (x[i] - m) * (x[i-1] - m)
		}
	}
	if v == 0 {
		return 0
	}
	return c / v
}

// bartlett sums the autocovariances of x, weighed by a triangle.
func bartlett(x []float64) float64 {
	n, rho := float64(len(x)), lagOne(x)
	alpha := 4 * rho * rho / ((1 - rho*rho) * (1 - rho*rho))
	width := 1.1447 * math.Cbrt(alpha*n) // Andrews, Econometrica 59, 1991, (6.2)
	m, sum := mean(x), 0.0
	for lag := 0; float64(lag) < width+1 && lag < len(x); lag++ {
		c := 0.0
		for i := lag; i < len(x); i++ {
			c += (x[i] - m) * (x[i-lag] - m) / n
		}
		switch weight := 1 - float64(lag)/(width+1); lag {
		case 0:
			sum += c
		default:
			sum += 2 * weight * c
		}
	}
	return sum
}

// widening is by how much the draws of a bootstrap over blocks must be stretched
// about their middle to spread as far as the figure does: blocks just longer
// than the dependence hide the part of it that crosses their edges, and a few
// blocks vary more than the normal distribution says. x is what the figure is,
// to first order, the mean of, one value for each unit of time; a block has so
// many units. It is 0 when x tells no more than fewestBlocks independent values.
func widening(x []float64, block int, alpha float64) float64 {
	var blocks []float64
	for i := 0; i+block <= len(x); i += block {
		blocks = append(blocks, mean(x[i:i+block]))
	}
	count := float64(len(blocks))
	bootstrap := float64(block) * deviation(blocks) * deviation(blocks) * (count - 1) / count
	variance, independent := longRun(x)
	switch {
	case independent < fewestBlocks:
		return 0
	case !(bootstrap > 0):
		return 1
	}
	student := distuv.StudentsT{Sigma: 1, Nu: independent - 1}.Quantile(1-alpha/2) / distuv.UnitNormal.Quantile(1-alpha/2)
	return student * math.Sqrt(max(1, variance/bootstrap))
}
