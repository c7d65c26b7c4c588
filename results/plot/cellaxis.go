package plot

import (
	"cmp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// categories returns the axis of all values of the label, in rising order, and
// the curves, still empty, in order of appearance. A colour stands for who
// carried the messages, a dash for which messages they were.
func categories(label string, cells []cell) (Axis, []Curve) {
	axis := Axis{Title: "message " + label, Scale: Category}
	if label == "rate" {
		axis.Title += " (Hz)"
	}
	var names, who, which []string
	for _, c := range cells {
		axis.Names = with(axis.Names, c.at)
		who, which = with(who, c.who), with(which, c.which)
	}
	var curves []Curve
	for _, c := range cells {
		if slices.Contains(names, c.name) {
			continue
		}
		names = append(names, c.name)
		i, k := slices.Index(who, c.who), slices.Index(which, c.which)
		k += i / len(palette()) * len(which) // when the colours begin anew
		curves = append(curves, Curve{Name: c.name, Style: Dots, Color: colour(i), Dash: dash(k)})
	}
	sort.SliceStable(axis.Names, func(i, k int) bool { return magnitude(axis.Names[i]) < magnitude(axis.Names[k]) })
	axis.Min, axis.Max = -0.4, float64(len(axis.Names))-0.6
	return axis, curves
}

// with appends s unless it is there.
func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// CompareCells orders sizes, or rates, as labels have them: it is negative when a
// is less than b.
func CompareCells(a, b string) int { return cmp.Compare(magnitude(a), magnitude(b)) }

// canonical writes one size or rate in one way, whether its label said 65536,
// 65536B or 64K.
func canonical(label, s string) string {
	v := magnitude(s)
	switch {
	case v >= fastest:
		return "max"
	case label != "size":
		return number(v)
	}
	for _, u := range []struct {
		bytes int64
		name  string
	}{{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if n := int64(v); n > 0 && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return number(v) + "B"
}

// fastest is the magnitude of a rate without a limit.
const fastest = 1e300

// magnitude reads a size or a rate as its label has it: 16B, 64K, 10M, 100. A
// rate that is no positive number, such as -1, is as fast as possible.
func magnitude(s string) float64 {
	digits := strings.TrimRight(s, "BKMGiHz ")
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || v <= 0 {
		return fastest
	}
	for i, unit := range []string{"K", "M", "G"} {
		if strings.HasPrefix(s[len(digits):], unit) {
			return v * float64(int64(1)<<(10*(i+1)))
		}
	}
	return v
}
