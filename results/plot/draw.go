package plot

import (
	"image/color"
	"math"
	"sort"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ink is the colour of all text, rule the colour of lines that help the eye.
func ink() color.Color  { return color.NRGBA{0x22, 0x22, 0x22, 255} }
func rule() color.Color { return color.NRGBA{0xe2, 0xe2, 0xe2, 255} }

// face is a style of upright text. Liberation Sans has the widths of Arial and
// Helvetica, which an SVG viewer has in its place.
func face(size vg.Length, bold bool) text.Style {
	s := text.Style{
		Color:   ink(),
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
	if bold {
		s.Font.Weight = xfont.WeightBold
	}
	return s
}

// drawChart fills the canvas with the chart: title, axes, curves, legend, notes.
func drawChart(c draw.Canvas, chart *Chart) {
	c = draw.Crop(c, 12, -20, 8, -10)
	legend := legendOf(chart, c.Size().X)
	body := draw.Crop(c, 0, 0, legend.height(), 0)

	p := plot.New()
	p.BackgroundColor = nil
	axis(&p.X, &chart.X)
	axis(&p.Y, &chart.Y)
	p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = draw.XCenter, draw.YTop
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter

	p.Add(rules{})
	if chart.Grid != nil {
		p.Add(heat{chart.Grid})
	}
	for i := range chart.Curves {
		p.Add(curve{&chart.Curves[i], len(chart.Curves) == 1})
	}
	marks := 0
	for i := range chart.Curves {
		if chart.Curves[i].Mark != nil {
			marks++
		}
	}
	for i := range chart.Curves {
		if chart.Curves[i].Mark != nil {
			p.Add(mark{&chart.Curves[i], marks == 1})
		}
	}
	if empty(chart) {
		p.Add(nothing{})
	}
	body = titles(body, chart)
	p.Draw(body)
	legend.draw(draw.Crop(c, 0, 0, 0, legend.height()-c.Size().Y))
}

// titles writes the title above and the axes' titles beside the body, and
// returns what is left of it. (A plot's own titles are placed by a rule that
// holds for linear axes only.)
func titles(c draw.Canvas, chart *Chart) draw.Canvas {
	title := face(14, true)
	title.XAlign, title.YAlign = draw.XCenter, draw.YTop
	c.FillText(title, vg.Point{X: c.Center().X, Y: c.Max.Y}, fit(title, chart.Title, c.Size().X))
	c = draw.Crop(c, 20, 0, 20, -28)
	x := face(12, false)
	x.XAlign, x.YAlign = draw.XCenter, draw.YBottom
	c.FillText(x, vg.Point{X: c.Center().X + 15, Y: c.Min.Y - 18}, chart.X.Title)
	y := x
	y.Rotation, y.YAlign = math.Pi/2, draw.YTop
	c.FillText(y, vg.Point{X: c.Min.X - 20, Y: c.Center().Y + 10}, chart.Y.Title)
	return c
}

// fit cuts a text to a width.
func fit(s text.Style, words string, width vg.Length) string {
	if s.Width(words) <= width {
		return words
	}
	letters := []rune(words)
	n := sort.Search(len(letters), func(n int) bool { return s.Width(string(letters[:n])+"…") > width })
	return string(letters[:max(0, n-1)]) + "…"
}

// empty tells whether a chart has nothing to show.
func empty(chart *Chart) bool {
	for _, c := range chart.Curves {
		for i := range c.Y {
			if !math.IsNaN(c.Y[i]) {
				return false
			}
		}
	}
	return chart.Grid == nil || chart.Grid.Max() == 0
}

// axis gives a plot's axis the range, scale and look of ours.
func axis(to *plot.Axis, from *Axis) {
	to.Min, to.Max = from.Min, from.Max
	if !(to.Max > to.Min) {
		to.Max = to.Min + 1
	}
	if from.logarithmic() {
		to.Scale = plot.LogScale{}
		if !(to.Min > 0) {
			to.Min, to.Max = 0.1, 10
		}
	}
	to.Padding = 0
	to.LineStyle = draw.LineStyle{Color: ink(), Width: 0.8}
	to.Tick.LineStyle = draw.LineStyle{Color: ink(), Width: 0.6}
	to.Tick.Length = 5
	to.Tick.Label = face(11.5, false)
	to.Tick.Marker = from
}

// rules draws a line at each labelled tick.
type rules struct{}

// Plot implements plot.Plotter.
func (rules) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: rule(), Width: 0.6}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if t.Label != "" && c.ContainsX(x(t.Value)) {
			c.StrokeLine2(style, x(t.Value), c.Min.Y, x(t.Value), c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" && c.ContainsY(y(t.Value)) {
			c.StrokeLine2(style, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// nothing says that there is nothing to see.
type nothing struct{}

// Plot implements plot.Plotter.
func (nothing) Plot(c draw.Canvas, _ *plot.Plot) {
	s := face(13, false)
	s.XAlign, s.YAlign = draw.XCenter, draw.YCenter
	c.FillText(s, c.Center(), "nothing recorded that this plot shows")
}

// mark draws a filled point with a white rim, and its text when it stands alone.
type mark struct {
	curve *Curve
	text  bool
}

// Plot implements plot.Plotter.
func (m mark) Plot(c draw.Canvas, p *plot.Plot) {
	trX, trY := p.Transforms(&c)
	at := vg.Point{X: trX(m.curve.Mark.X), Y: max(trY(max(m.curve.Mark.Y, p.Y.Min)), c.Min.Y)}
	if !c.Contains(at) {
		return
	}
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: color.White, Radius: 5, Shape: draw.CircleGlyph{}}, at)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: parse(m.curve.Color, 1), Radius: 3.8, Shape: draw.CircleGlyph{}}, at)
	if !m.text {
		return
	}
	s := face(11.5, true)
	s.XAlign, s.YAlign = draw.XRight, draw.YBottom
	to := vg.Point{X: at.X + 4, Y: at.Y + 9}
	if to.Y+14 > c.Max.Y || m.curve.Style == Line {
		s.YAlign, to = draw.YCenter, vg.Point{X: at.X - 12, Y: at.Y}
	}
	if width := s.Width(m.curve.Mark.Text); to.X-width < c.Min.X {
		s.XAlign, to.X = draw.XLeft, 2*at.X-to.X
	}
	box := s.Rectangle(m.curve.Mark.Text).Add(to)
	box.Min.X, box.Max.X = box.Min.X-2, box.Max.X+2
	c.SetColor(color.NRGBA{255, 255, 255, 0xd8}) // the text is read over lines
	c.Fill(box.Path())
	c.FillText(s, to, m.curve.Mark.Text)
}
