package plot

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curve draws a Curve. Steps go down to the floor beside a gap: those of several
// curves by a faint line, since full ones would hide each other.
type curve struct {
	*Curve
	alone bool
}

// stroke is how the curve's line looks.
func (k curve) stroke() draw.LineStyle {
	s := draw.LineStyle{Color: parse(k.Color, 1), Width: 1.6}
	for _, d := range k.Dash {
		s.Dashes = append(s.Dashes, vg.Length(d))
	}
	return s
}

// Plot implements plot.Plotter.
func (k curve) Plot(c draw.Canvas, p *plot.Plot) {
	at := placer(&c, p)
	k.band(c, at)
	var lines [][]vg.Point
	if k.Style == Steps {
		lines = k.steps(at)
		if k.alone {
			lines = onFloor(lines, c.Min.Y)
		} else {
			c.StrokeLines(draw.LineStyle{Color: parse(k.Color, 0.3), Width: 0.8}, c.ClipLinesXY(drops(lines, c.Min.Y)...)...)
		}
	} else {
		lines = k.joined(at)
	}
	c.StrokeLines(k.stroke(), c.ClipLinesXY(lines...)...)
	for _, line := range lines {
		for _, pt := range line {
			if (k.Style == Dots || len(line) == 1) && c.Contains(pt) {
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: parse(k.Color, 1), Radius: 2.6, Shape: draw.CircleGlyph{}}, pt)
			}
		}
	}
}

// placer returns where a point of the data lies on the canvas. What a
// logarithmic axis cannot show lies at its beginning.
func placer(c *draw.Canvas, p *plot.Plot) func(x, y float64) vg.Point {
	trX, trY := p.Transforms(c)
	return func(x, y float64) vg.Point {
		return vg.Point{X: trX(max(x, p.X.Min)), Y: trY(max(y, p.Y.Min))}
	}
}

// joined returns the runs of points without a gap.
func (k curve) joined(at func(x, y float64) vg.Point) (lines [][]vg.Point) {
	var line []vg.Point
	for i, y := range k.Y {
		if !math.IsNaN(y) {
			line = append(line, at(k.X[i], y))
			continue
		}
		if line != nil {
			lines, line = append(lines, line), nil
		}
	}
	if line != nil {
		lines = append(lines, line)
	}
	return lines
}

// steps returns the outlines of neighbouring steps.
func (k curve) steps(at func(x, y float64) vg.Point) (lines [][]vg.Point) {
	var line []vg.Point
	for i := 0; i+1 < len(k.Y); i++ {
		if !(k.Y[i] > 0) {
			continue
		}
		line = append(line, at(k.X[i], k.Y[i]), at(k.X[i+1], k.Y[i]))
		if i+2 == len(k.Y) || !(k.Y[i+1] > 0) {
			lines, line = append(lines, line), nil
		}
	}
	return lines
}

// onFloor lets outlines begin and end on the floor.
func onFloor(lines [][]vg.Point, floor vg.Length) [][]vg.Point {
	for i, line := range lines {
		first, last := line[0], line[len(line)-1]
		line = append([]vg.Point{{X: first.X, Y: floor}}, line...)
		lines[i] = append(line, vg.Point{X: last.X, Y: floor})
	}
	return lines
}

// drops are the lines from the ends of outlines down to the floor.
func drops(lines [][]vg.Point, floor vg.Length) (down [][]vg.Point) {
	for _, line := range lines {
		for _, end := range []vg.Point{line[0], line[len(line)-1]} {
			down = append(down, []vg.Point{end, {X: end.X, Y: floor}})
		}
	}
	return down
}

// band fills between Low and Y.
func (k curve) band(c draw.Canvas, at func(x, y float64) vg.Point) {
	fill := func(from, to int) {
		if to-from < 2 {
			return
		}
		var edge []vg.Point
		for i := from; i < to; i++ {
			edge = append(edge, at(k.X[i], k.Y[i]))
		}
		for i := to - 1; i >= from; i-- {
			edge = append(edge, at(k.X[i], k.Low[i]))
		}
		c.FillPolygon(parse(k.Color, 0.18), c.ClipPolygonXY(edge))
	}
	from := 0
	for i := range k.Low {
		if math.IsNaN(k.Y[i]) || math.IsNaN(k.Low[i]) {
			fill(from, i)
			from = i + 1
		}
	}
	fill(from, len(k.Low))
}

// heat draws a Grid.
type heat struct{ *Grid }

// smallest is the least side of what is drawn of a cell, so that one late sample
// in a day is seen.
const smallest vg.Length = 2.5

// Plot implements plot.Plotter. Fuller cells lie over emptier ones, and reach a
// little over their edges, since two that only touch would show a seam.
func (h heat) Plot(c draw.Canvas, p *plot.Plot) {
	at := placer(&c, p)
	most := h.Max()
	type place struct{ row, column int }
	var cells []place
	for r, row := range h.Counts {
		for i, n := range row {
			if n > 0 {
				cells = append(cells, place{r, i})
			}
		}
	}
	slices.SortStableFunc(cells, func(a, b place) int {
		return cmp.Compare(h.Counts[a.row][a.column], h.Counts[b.row][b.column])
	})
	for _, k := range cells {
		a, b := at(h.X[k.column], h.Y[k.row]), at(h.X[k.column+1], h.Y[k.row+1])
		x, y := (a.X+b.X)/2, (a.Y+b.Y)/2
		dx, dy := max(b.X-a.X+0.3, smallest)/2, max(b.Y-a.Y+0.3, smallest)/2
		box := []vg.Point{{X: x - dx, Y: y - dy}, {X: x + dx, Y: y - dy}, {X: x + dx, Y: y + dy}, {X: x - dx, Y: y + dy}}
		c.FillPolygon(Heat(heatShare(h.Counts[k.row][k.column], most)), c.ClipPolygonXY(box))
	}
}
