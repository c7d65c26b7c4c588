package plot

import (
	"fmt"
	"image/color"
	"math"
)

// palette holds the colours of M. Okabe and K. Ito, "Color Universal Design"
// (2008), which people with any common kind of colour blindness can tell apart.
// Their yellow is left out: it cannot be seen as a line on white.
func palette() []string {
	return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}
}

// grey is the colour of what was merged.
const grey = "#8a8a8a"

// dashes tell curves of one colour apart. The first is a solid line.
func dashes() [][]float64 {
	return [][]float64{nil, {7, 3}, {2, 2.5}, {9, 3, 2, 3}}
}

// colour returns the i-th colour of the palette, over and over.
func colour(i int) string { p := palette(); return p[i%len(p)] }

// dash returns the i-th dash, over and over.
func dash(i int) []float64 { d := dashes(); return d[i%len(d)] }

// parse turns "#rrggbb" into a colour with the given opacity, 0 to 1. Anything
// else is black.
func parse(s string, opacity float64) color.NRGBA {
	c := color.NRGBA{A: uint8(math.Round(255 * opacity))}
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		return color.NRGBA{A: c.A}
	}
	return c
}

// Heat returns the colour of a share from 0 to 1 of the largest count, on a
// ramp of one hue whose lightness falls steadily. Its palest colour stands out
// from white: a single sample must be seen.
func Heat(share float64) color.NRGBA {
	stops := []color.NRGBA{{0x9c, 0xcb, 0xe9, 255}, {0x3f, 0x9b, 0xd1, 255}, {0x00, 0x5f, 0x9e, 255}, {0x06, 0x1f, 0x3d, 255}}
	at := min(max(share, 0), 1) * float64(len(stops)-1)
	i := min(int(at), len(stops)-2)
	mix := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + (at-float64(i))*(float64(b)-float64(a))))
	}
	a, b := stops[i], stops[i+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// heatShare is where a count stands between 1 and most, by its logarithm.
func heatShare(n, most int64) float64 {
	if most <= 1 {
		return 1
	}
	return math.Log(float64(n)) / math.Log(float64(most))
}
