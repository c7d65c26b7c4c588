package plot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Ticks returns where an axis of this scale is marked between lo and hi, as
// gonum's plot wants it: ticks without a label are minor ones.
func (a Axis) Ticks(lo, hi float64) []plot.Tick {
	switch a.Scale {
	case Log:
		return logTicks(lo, hi)
	case Share:
		return shareTicks(lo, hi)
	case Elapsed:
		return elapsedTicks(lo, hi)
	case Category:
		ticks := make([]plot.Tick, len(a.Names))
		for i, name := range a.Names {
			ticks[i] = plot.Tick{Value: float64(i), Label: name}
		}
		return ticks
	}
	return linearTicks(lo, hi)
}

// linearTicks marks multiples of 1, 2 or 5 times a power of ten, some six of
// them.
func linearTicks(lo, hi float64) (ticks []plot.Tick) {
	step := roundStep((hi - lo) / 6)
	digits := max(0, -int(math.Floor(math.Log10(step)*(1+1e-12))))
	for k := math.Ceil(lo / step * (1 - 1e-12)); k*step <= hi*(1+1e-12); k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: decimals(k*step, digits)})
	}
	return ticks
}

// decimals writes a value with as many digits after the point as its
// neighbours on the axis.
func decimals(v float64, digits int) string {
	if digits == 0 {
		return number(math.Round(v))
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// roundStep returns the least of 1, 2, 5 times a power of ten that is at least
// step.
func roundStep(step float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(step)))
	for _, k := range []float64{1, 2, 5} {
		if k*ten >= step*(1-1e-9) {
			return k * ten
		}
	}
	return 10 * ten
}

// logTicks labels powers of ten, and also their double and fivefold where there
// is room, and marks the other multiples.
func logTicks(lo, hi float64) (ticks []plot.Tick) {
	decades := math.Log10(hi / lo)
	every := max(1, int(math.Ceil(decades/10)))
	for e := int(math.Floor(math.Log10(lo))); e <= int(math.Ceil(math.Log10(hi))); e++ {
		for k := 1; k <= 9; k++ {
			v := float64(k) * math.Pow10(e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := plot.Tick{Value: v}
			if k == 1 && e%every == 0 || decades < 2.5 && (k == 2 || k == 5) || decades < 0.5 {
				t.Label = number(v)
			}
			if t.Label != "" || every == 1 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// shareTicks labels the percentiles 0, 50, 90, 99, 99.9 and so on, as far as
// their labels have room beside each other on an axis as wide as a picture's.
func shareTicks(lo, hi float64) (ticks []plot.Tick) {
	const axis, letter, space = 650.0, 6.5, 8.0 // points
	end := math.Inf(-1)
	mark := func(value float64, label string) {
		at, half := axis*math.Log10(value)/math.Log10(hi/lo), letter/2*float64(len(label))
		if at-half < end+space {
			label = ""
		} else {
			end = at + half
		}
		ticks = append(ticks, plot.Tick{Value: value, Label: label})
	}
	mark(1, "0")
	mark(2, "50")
	for e := 1; math.Pow10(e) <= hi*(1+1e-9); e++ {
		mark(math.Pow10(e), percentile(e))
	}
	return ticks
}

// percentile names the quantile 1 - 10^-e.
func percentile(e int) string {
	if e == 1 {
		return "90"
	}
	return strconv.FormatFloat(100*(1-math.Pow10(-e)), 'f', e-2, 64)
}

// elapsedTicks marks round seconds, minutes, hours or days.
func elapsedTicks(lo, hi float64) (ticks []plot.Tick) {
	unit, name := 1.0, " s"
	for _, u := range []struct {
		seconds float64
		name    string
	}{{60, " min"}, {3600, " h"}, {86400, " d"}} {
		if hi-lo > 3*u.seconds {
			unit, name = u.seconds, u.name
		}
	}
	step := roundStep((hi - lo) / unit / 6)
	switch { // sixtieths and twenty-fourths
	case name == " h" && step >= 5:
		step = math.Max(6, 6*roundStep(step/6))
	case name != " d" && step >= 20:
		step = 30 * math.Ceil(step/30)
	}
	for k := math.Ceil(lo / unit / step); k*step*unit <= hi*(1+1e-12); k++ {
		ticks = append(ticks, plot.Tick{Value: k * step * unit, Label: number(k*step) + name})
	}
	return ticks
}

// number writes a value for an axis: no more digits than it needs, and k, M
// and G from a hundred thousand on.
func number(v float64) string {
	suffix, digits := "", 6
	for _, s := range []string{"k", "M", "G", "T"} {
		if math.Abs(v) < 1e3 || suffix == "" && math.Abs(v) < 99999 {
			break
		}
		v, suffix, digits = v/1e3, s, 4
	}
	return strconv.FormatFloat(v, 'g', digits, 64) + suffix
}

// micros writes ns in us with four significant digits and no exponent.
func micros(ns float64) string {
	us := ns / 1e3
	digits := 3
	if us != 0 {
		digits = min(max(3-int(math.Floor(math.Log10(math.Abs(us)))), 0), 3)
	}
	return strconv.FormatFloat(us, 'f', digits, 64) + " µs"
}

// logRange returns a range of a logarithmic axis with room around lo and hi,
// whichever way they lie: never 0, never empty.
func logRange(lo, hi float64) (float64, float64) {
	if !(lo > 0) {
		lo = hi
	}
	if !(hi > 0) {
		return 0.1, 10
	}
	return lo / 1.5, hi * 1.5
}
