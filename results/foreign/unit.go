package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// ErrUnit is what reading fails with when a file gives bare figures and nothing
// in it tells whether they are nanoseconds or microseconds.
var ErrUnit = errors.New("the file does not tell its unit")

// errFigure is what a number that no latency, time or count can have gives.
var errFigure = errors.New("figure out of range")

// MaxFigure bounds every count and every time in ns that readers accept, about
// a century; sums of figures below it are checked where they are made.
const MaxFigure = 1 << 61

// Options say what a file can't.
type Options struct {
	// Unit of latencies, where the file does not tell. Zero means that the file
	// must: a file that does not is refused with ErrUnit.
	Unit time.Duration
	// Cell is the width of histogram cells, where the file gives only their
	// indices (Xenomai's -B). Zero means the tool's default, if the figures agree.
	Cell time.Duration
	// Label names the runs, where the file does not.
	Label string
	// Machine is what they ran on, where the file does not tell.
	Machine string
}

// ParseUnit reads the name of a unit: ns, us or ms.
func ParseUnit(name string) (time.Duration, error) {
	switch name {
	case "ns", "nsec", "nanoseconds":
		return time.Nanosecond, nil
	case "us", "µs", "μs", "usec", "microseconds":
		return time.Microsecond, nil
	case "ms", "msec", "milliseconds":
		return time.Millisecond, nil
	}
	return 0, fmt.Errorf("unit %q is none of ns, us, ms", name)
}

// ParseTime reads a number of units as ns, rounded to the nearest.
func ParseTime(field []byte, unit time.Duration) (int64, error) {
	f, err := ParseTimeF(field, unit)
	return int64(math.Round(f)), err
}

// ParseTimeF reads a number of units as ns, with its fraction.
func ParseTimeF(field []byte, unit time.Duration) (float64, error) {
	f, err := strconv.ParseFloat(string(field), 64)
	if err != nil {
		return 0, fmt.Errorf("read figure %q: %w", Clip(field), errors.Unwrap(err))
	}
	f *= float64(unit)
	if !(math.Abs(f) < MaxFigure) { // NaN as well
		return 0, fmt.Errorf("read figure %q: %w", Clip(field), errFigure)
	}
	return f, nil
}

// ParseDate reads seconds with up to nine decimals as ns, exactly.
func ParseDate(field []byte) (int64, error) {
	whole, fraction, _ := bytes.Cut(field, []byte{'.'})
	seconds, err := ParseCount(whole)
	if err != nil || seconds > MaxFigure/1_000_000_000 {
		return 0, fmt.Errorf("read date %q: %w", Clip(field), errFigure)
	}
	ns := int64(0)
	for i := range 9 {
		digit := byte('0')
		if i < len(fraction) {
			digit = fraction[i]
		}
		if digit < '0' || digit > '9' {
			return 0, fmt.Errorf("read date %q: %w", Clip(field), errFigure)
		}
		ns = ns*10 + int64(digit-'0')
	}
	return seconds*1_000_000_000 + ns, nil
}

// ParseCount reads a number of things, which is never negative.
func ParseCount(field []byte) (int64, error) {
	n, err := strconv.ParseInt(string(field), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read count %q: %w", Clip(field), errors.Unwrap(err))
	}
	if n < 0 || n >= MaxFigure {
		return 0, fmt.Errorf("read count %q: %w", Clip(field), errFigure)
	}
	return n, nil
}

// Clip shortens what goes into a message.
func Clip(field []byte) []byte { return field[:min(len(field), 40)] }

// ErrNoFigures is what reading fails with when a text has the form of a tool's
// output but holds no result.
var ErrNoFigures = errors.New("no figures found")

// LeastLatency bounds from below what a timer, an interrupt and a wake-up take
// on any machine, in ns: reading the clock twice takes about as long.
const LeastLatency = 100

// DecideUnit is the unit of bare whole figures, of which least is the smallest
// and most the largest: o.Unit, or us when least can't be ns; else ErrUnit.
func (o Options) DecideUnit(least, most float64) (time.Duration, error) {
	switch {
	case o.Unit != 0:
		return o.Unit, nil
	case most > 0 && least < LeastLatency:
		return time.Microsecond, nil
	}
	return 0, ErrUnit
}

// Clock turns hh:mm:ss into seconds; hours may have any number of digits.
func Clock(text []byte) (float64, bool) {
	var parts [3]int64
	field, digits := 0, 0
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9' && digits < 9:
			parts[field] = parts[field]*10 + int64(c-'0')
			digits++
		case c == ':' && digits > 0 && field < 2:
			field, digits = field+1, 0
		default:
			return 0, false
		}
	}
	if field != 2 || digits == 0 {
		return 0, false
	}
	return float64(parts[0])*3600 + float64(parts[1])*60 + float64(parts[2]), true
}
