package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A legend stands below the axes: an entry for each name, in as many columns as
// fit, then the scale of a heat map, then the notes.
type legend struct {
	entries []*Curve
	grid    *Grid
	notes   []string
	columns int
	width   vg.Length
	style   text.Style
}

const (
	legendLine   vg.Length = 17
	legendSwatch vg.Length = 30
)

// legendOf lays out the legend of a chart for a given width.
func legendOf(chart *Chart, width vg.Length) *legend {
	l := &legend{grid: chart.Grid, notes: chart.Notes, width: width, style: face(11.5, false)}
	seen := map[string]bool{}
	var widest vg.Length
	for i := range chart.Curves {
		c := &chart.Curves[i]
		if seen[c.Name] {
			continue
		}
		seen[c.Name] = true
		l.entries = append(l.entries, c)
		widest = max(widest, legendSwatch+l.style.Width(c.entry())+18)
	}
	l.columns = 1
	if widest > 0 {
		l.columns = min(max(1, int(width/widest)), max(1, len(l.entries)))
	}
	return l
}

// entry is the text of a curve in the legend.
func (c *Curve) entry() string {
	if c.Note == "" {
		return c.Name
	}
	return c.Name + ": " + c.Note
}

func (l *legend) rows() int { return (len(l.entries) + l.columns - 1) / l.columns }

func (l *legend) height() vg.Length {
	lines := l.rows() + len(l.notes)
	if l.grid != nil {
		lines++
	}
	return vg.Length(lines)*legendLine + 8
}

func (l *legend) draw(c draw.Canvas) {
	l.style.YAlign = draw.YCenter
	y := c.Max.Y - 8 - legendLine/2
	column := l.width / vg.Length(l.columns)
	for i, e := range l.entries {
		at := vg.Point{X: c.Min.X + column*vg.Length(i%l.columns), Y: y - legendLine*vg.Length(i/l.columns)}
		c.StrokeLine2(curve{Curve: e}.stroke(), at.X, at.Y, at.X+legendSwatch-6, at.Y)
		if e.Style == Dots {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: parse(e.Color, 1), Radius: 2.6, Shape: draw.CircleGlyph{}}, vg.Point{X: at.X + legendSwatch/2 - 3, Y: at.Y})
		}
		c.FillText(l.style, vg.Point{X: at.X + legendSwatch, Y: at.Y}, fit(l.style, e.entry(), column-legendSwatch))
	}
	y -= legendLine * vg.Length(l.rows())
	if l.grid != nil {
		l.ramp(c, y)
		y -= legendLine
	}
	grey := l.style
	grey.Color = color.NRGBA{0x66, 0x66, 0x66, 255}
	for _, n := range l.notes {
		c.FillText(grey, vg.Point{X: c.Min.X, Y: y}, fit(grey, n, l.width))
		y -= legendLine
	}
}

// ramp draws the colours of a heat map from one count to the most.
func (l *legend) ramp(c draw.Canvas, y vg.Length) {
	most := l.grid.Max()
	const cells = 60
	const width vg.Length = 180
	x := c.Min.X
	put := func(s string) {
		c.FillText(l.style, vg.Point{X: x, Y: y}, s)
		x += l.style.Width(s) + 6
	}
	put("1")
	for i := range cells {
		left := x + width*vg.Length(i)/cells
		right := left + width/cells + 0.4
		c.FillPolygon(Heat(float64(i)/(cells-1)), []vg.Point{{X: left, Y: y - 5}, {X: right, Y: y - 5}, {X: right, Y: y + 5}, {X: left, Y: y + 5}})
	}
	x += width + 6
	put(number(math.Max(1, float64(most))) + " " + l.grid.Unit + ", logarithmic")
}
