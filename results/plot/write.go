package plot

import (
	"bufio"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Format is a kind of picture file.
type Format string

// The formats.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// The size of one chart. A PNG has two dots to the point, so that it can be
// read at half its size.
const (
	width  vg.Length = 720
	height vg.Length = 450
	dpi              = 144
)

// Write draws the charts below each other.
func Write(w io.Writer, format Format, charts ...Chart) error {
	size := height * vg.Length(max(1, len(charts)))
	var canvas vg.CanvasWriterTo
	switch format {
	case SVG:
		canvas = vgsvg.New(width, size)
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, size), vgimg.UseDPI(dpi))}
	default:
		return fmt.Errorf("write a picture: format %q is neither svg nor png", format)
	}
	page := draw.New(canvas)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	for i := range charts {
		top := height * vg.Length(i)
		drawChart(draw.Crop(page, 0, 0, size-top-height, -top), &charts[i])
	}
	b := bufio.NewWriter(w)
	if _, err := canvas.WriteTo(b); err != nil {
		return fmt.Errorf("write a picture: %w", err)
	}
	return b.Flush()
}
