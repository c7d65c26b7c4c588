package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"worstcase/results"
)

const (
	// fewestMaxima must there be for return levels up to a day, and
	// fewestForLong for longer ones.
	fewestMaxima  = 100
	fewestForLong = 600
	// mostMaxima is where blocks become longer instead of more: longer blocks are
	// nearer to the limit that the theory speaks of.
	mostMaxima = 1200
	// mostRounded maxima have at least half as many values: with fewer, steps are
	// a fifth of the spread and more.
	mostRounded = 100
	day         = 24 * time.Hour
)

// Extremes says what the maxima of blocks tell about latencies that were not
// met yet: the return levels, each the latency that is passed once in so long a
// time on average, if the machine goes on as it did. It either answers or says
// in Refusal why it doesn't.
type Extremes struct {
	Refusal string `json:"refusal,omitempty"`
	// Blocks is the number of maxima, one of every Block seconds.
	Blocks int     `json:"blocks"`
	Block  float64 `json:"block_seconds"`
	// Correlated is the time in seconds after which maxima no longer depend on
	// each other, 0 when there is none; Block isn't shorter.
	Correlated float64 `json:"correlated_seconds,omitempty"`
	// Exceed bounds the probability that a further stretch of that length passes
	// the largest maximum: 3/n after n of them, at 95 % (see results.Bound). It
	// needs no distribution, and is 1 without independent stretches.
	Exceed float64       `json:"exceed_per_stretch"`
	GEV    *GEV          `json:"gev,omitempty"`
	Levels []ReturnLevel `json:"levels,omitempty"`
}

// A ReturnLevel is a latency that is passed once in Every, with an interval that
// holds the true one in 95 of 100 cases; or why there is none.
type ReturnLevel struct {
	Name    string        `json:"name"`
	Every   time.Duration `json:"every_ns"`
	Level   float64       `json:"level_ns,omitempty"`
	Range   *Range        `json:"interval,omitempty"`
	Refusal string        `json:"refusal,omitempty"`
}

// extremes fits the maxima of runs, each a list of the maxima of successive
// stretches of step seconds. Period is that of the samples, 0 when unknown.
//
// Blocks are at least as long as the maxima depend on each other, and longer
// while the fit is refused and enough blocks are left: maxima of short blocks
// need not have reached their limit. The intervals come from the parametric
// bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993,
// section 6.5; for hydrological quantiles Kyselý, "Coverage probability of
// bootstrap confidence intervals in heavy-tailed frequency models", Journal of
// Applied Meteorology and Climatology 47, 2008): resampling the maxima
// themselves covers far less, as no resample passes the largest.
func extremes(runs [][]float64, step float64, period time.Duration, repeats int, rng *rand.Rand) *Extremes {
	total, correlated := 0, 1
	for _, r := range runs {
		total += len(r)
	}
	e := &Extremes{Blocks: total, Block: step, Exceed: 1}
	if total == 0 {
		e.Refusal = "the figures of single seconds are unknown"
		return e
	}
	for _, r := range runs {
		// Ranks, since one spike of a millisecond would swell the variance and hide
		// any dependence.
		n := results.BlockLength(ranks(r))
		if n == 0 && len(r) > 0 {
			e.Refusal = "the maxima drift, or are too few to tell: no block is surely independent of the next"
			return e
		}
		correlated = max(correlated, n)
	}
	e.Correlated = float64(correlated) * step
	e.Exceed = min(1, 3/float64(total/correlated))
	if total < fewestMaxima {
		e.Refusal = tooFew(total, step)
		return e
	}
	if all := sorted(slices.Concat(runs...)); all[0] == all[total-1] {
		e.Refusal = "the maxima are all equal"
		return e
	}
	length := max(correlated, (total+mostMaxima-1)/mostMaxima)
	for maxima := blockMaxima(runs, length); ; length *= 2 {
		e.Blocks, e.Block = len(maxima), float64(length)*step
		if !e.fit(maxima, period, repeats, rng) {
			return e
		}
		if maxima = blockMaxima(runs, 2*length); len(maxima) < fewestMaxima {
			return e
		}
	}
}

func tooFew(blocks int, seconds float64) string {
	if blocks == 0 {
		return fmt.Sprintf("no maxima over time were recorded: return levels need %d", fewestMaxima)
	}
	return fmt.Sprintf("only %s of %g s: return levels need %d", results.Counted(blocks, "block"), seconds, fewestMaxima)
}

// blockMaxima takes the maximum of every length successive values of a run. What
// is left over at a run's end is no whole block and is dropped.
func blockMaxima(runs [][]float64, length int) []float64 {
	var maxima []float64
	for _, r := range runs {
		for ; len(r) >= length; r = r[length:] {
			maxima = append(maxima, slices.Max(r[:length]))
		}
	}
	return maxima
}

// fit answers for one block length, or sets Refusal. It returns true when longer
// blocks might do.
func (e *Extremes) fit(maxima []float64, period time.Duration, repeats int, rng *rand.Rand) (longer bool) {
	e.Refusal = ""
	if len(maxima) < fewestMaxima {
		e.Refusal = tooFew(len(maxima), e.Block)
		return false
	}
	if p := distance(maxima[:len(maxima)/2], maxima[len(maxima)/2:]); p < 0.01 {
		e.Refusal = fmt.Sprintf("the first half of the maxima differs from the second (Smirnov's p = %.2g): the machine changed meanwhile", p)
		return false
	}
	s := sorted(maxima)
	if d := distinct(s); d < min(len(s), mostRounded)/2 {
		e.Refusal = fmt.Sprintf("the maxima are rounded: %s in %d blocks", results.Counted(d, "value"), len(s))
		return false
	}
	g, ok := fitGEV(s)
	replicas, beyond := bootstrapGEV(g, len(s), andersonDarling(s, g), repeats, rng)
	if !ok || len(replicas) < repeats/2 {
		e.Refusal = "no extreme value distribution has such maxima"
		return true
	}
	if p := float64(beyond+1) / float64(min(len(replicas), measured)+1); p < 0.02 {
		e.Refusal = fmt.Sprintf("the maxima are too far from an extreme value distribution (Anderson and Darling's p = %.2g)", p)
		return true
	}
	e.GEV = &g
	for _, level := range returnPeriods(period) {
		e.Levels = append(e.Levels, e.level(level, replicas))
	}
	return false
}

func returnPeriods(period time.Duration) []ReturnLevel {
	levels := []ReturnLevel{{Name: "1 h", Every: time.Hour}, {Name: "24 h", Every: day}}
	if period > 0 {
		levels = append(levels, ReturnLevel{Name: "1e9 periods", Every: 1e9 * period})
	}
	return levels
}

// level fills in one return level and its interval. The interval cuts 1.5 % off
// each end of the replicas rather than 2.5: percentile intervals of some hundred
// maxima are short by about that much, and these then cover 92 to 97 %.
func (e *Extremes) level(l ReturnLevel, replicas []GEV) ReturnLevel {
	blocks := l.Every.Seconds() / e.Block
	switch {
	case blocks < 2:
		l.Refusal = "not much longer than a block"
		return l
	case l.Every > day && e.Blocks < fewestForLong:
		l.Refusal = fmt.Sprintf("%d blocks: more than a day needs %d", e.Blocks, fewestForLong)
		return l
	}
	y := -math.Log1p(-1 / blocks)
	l.Level = e.GEV.quantile(y)
	levels := make([]float64, len(replicas))
	for i, g := range replicas {
		levels[i] = g.quantile(y)
	}
	slices.Sort(levels)
	l.Range = &Range{Low: quantileOf(levels, 0.015), High: quantileOf(levels, 0.985), Confidence: 0.95}
	return l
}

// measured is the number of replicas whose distance from their own fit is taken:
// it costs more than the fit, and a p value of 2 % needs no more.
const measured = 200

// bootstrapGEV fits samples drawn from g, and counts how many of the first
// measured are farther from their fit than distance.
func bootstrapGEV(g GEV, n int, distance float64, repeats int, rng *rand.Rand) (replicas []GEV, beyond int) {
	x := make([]float64, n)
	for range repeats {
		g.sample(x, rng)
		if r, ok := fitGEV(x); ok {
			replicas = append(replicas, r)
			if len(replicas) <= measured && andersonDarling(x, r) >= distance {
				beyond++
			}
		}
	}
	return replicas, beyond
}

// distance is the p value of Smirnov's test of two samples (Smirnov, "Table for
// estimating the goodness of fit of empirical distributions", 1948, with the
// correction of Stephens 1970 for finite samples).
func distance(a, b []float64) float64 {
	x, y := sorted(a), sorted(b)
	largest := 0.0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		v := min(x[i], y[j])
		for i < len(x) && x[i] == v {
			i++
		}
		for j < len(y) && y[j] == v {
			j++
		}
		largest = max(largest, math.Abs(float64(i)/float64(len(x))-float64(j)/float64(len(y))))
	}
	n := math.Sqrt(float64(len(x)) * float64(len(y)) / float64(len(x)+len(y)))
	lambda := (n + 0.12 + 0.11/n) * largest
	p := 0.0
	for k, sign := 1, 1.0; k <= 100; k, sign = k+1, -sign {
		p += 2 * sign * math.Exp(-2*float64(k*k)*lambda*lambda)
	}
	if lambda < 0.2 { // the series converges no more, and p is 1
		return 1
	}
	return min(max(p, 0), 1)
}

func distinct(sorted []float64) int {
	n := 0
	for i, x := range sorted {
		if i == 0 || x != sorted[i-1] {
			n++
		}
	}
	return n
}
