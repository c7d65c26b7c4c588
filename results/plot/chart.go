// Package plot turns runs into charts, and charts into SVG and PNG.
//
// A Chart is a picture as plain data: axes with their units and scales, curves
// with their colours. Histogram, Time, Percentile, Heatmap and Over make
// charts out of runs; Write draws them; package report shows the same charts
// in a page, so that a picture and a page of one run cannot disagree.
package plot

import (
	"encoding/json"
	"math"
	"strconv"
)

// A Kind names a way to look at runs.
type Kind string

// The kinds, as `results plot --kind` takes them.
const (
	KindHistogram  Kind = "histogram"
	KindTime       Kind = "time"
	KindPercentile Kind = "percentile"
	KindHeatmap    Kind = "heatmap"
	KindSize       Kind = "size" // figures of cells over message size
	KindRate       Kind = "rate" // figures of cells over message rate
)

// Kinds are all kinds of charts, in the order in which a report shows them.
func Kinds() []Kind {
	return []Kind{KindHistogram, KindPercentile, KindTime, KindHeatmap, KindSize, KindRate}
}

// A Chart is one picture.
type Chart struct {
	Kind   Kind    `json:"kind"`
	Title  string  `json:"title"`
	X      Axis    `json:"x"`
	Y      Axis    `json:"y"`
	Curves []Curve `json:"curves,omitempty"`
	Grid   *Grid   `json:"grid,omitempty"`
	// Notes say what the picture cannot: what was merged, how wide a column is.
	Notes []string `json:"notes,omitempty"`
}

// A Scale says how values lie on an axis.
type Scale string

// The scales.
const (
	Linear   Scale = "linear"
	Log      Scale = "log"
	Share    Scale = "share"    // of samples below: the value is 1/(1-q), the scale logarithmic
	Elapsed  Scale = "elapsed"  // seconds since the start, linear
	Category Scale = "category" // the value is an index into Names
)

// An Axis goes from Min to Max. On a Log or Share axis both are above 0.
type Axis struct {
	// Title is what the axis measures and in which unit: "latency (µs)".
	Title string   `json:"title"`
	Scale Scale    `json:"scale"`
	Min   float64  `json:"min"`
	Max   float64  `json:"max"`
	Names []string `json:"names,omitempty"`
}

// logarithmic tells whether equal ratios lie at equal distances.
func (a *Axis) logarithmic() bool { return a.Scale == Log || a.Scale == Share }

// A Style says how the points of a curve are joined.
type Style string

// The styles.
const (
	// Steps: Y[i] holds from X[i] to X[i+1]. The last Y closes the last step and
	// is 0. A step of height 0 is a gap.
	Steps Style = "steps"
	// Line joins neighbours, but not across a NaN.
	Line Style = "line"
	// Dots is Line with a dot on each point: for few points.
	Dots Style = "dots"
)

// A Curve is one line of a chart.
type Curve struct {
	// Name is what the legend says. Curves of one name share colour and dash,
	// and the legend shows the first of them.
	Name string `json:"name"`
	// Note follows the name in the legend: the maximum, the number of samples.
	Note  string `json:"note,omitempty"`
	Style Style  `json:"style"`
	// Color is "#rrggbb", Dash alternates stroke and gap in points.
	Color string    `json:"color"`
	Dash  []float64 `json:"dash,omitempty"`
	X     Values    `json:"x"`
	Y     Values    `json:"y"`
	// Low is the lower edge of a band whose upper edge is Y, or empty.
	Low Values `json:"low,omitempty"`
	// Mark is a point worth a mark, such as the maximum.
	Mark *Mark `json:"mark,omitempty"`
}

// A Mark is one point of a curve, exact where the curve may be binned.
type Mark struct {
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Text string  `json:"text"`
}

// A Grid is a heat map: Counts[row][column], row 0 lowest. The edges hold one
// value more than there are rows and columns.
type Grid struct {
	X      Values    `json:"x"`
	Y      Values    `json:"y"`
	Counts [][]int64 `json:"counts"`
	// Unit is what a count counts.
	Unit string `json:"unit"`
}

// Max is the largest count.
func (g *Grid) Max() int64 {
	var m int64
	for _, row := range g.Counts {
		for _, n := range row {
			m = max(m, n)
		}
	}
	return m
}

// Values are numbers of which some may be missing: NaN, in JSON null.
type Values []float64

// MarshalJSON writes seven significant digits, since a picture shows no more.
func (v Values) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, x, 'g', 7, 64)
		}
	}
	return append(b, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Values) UnmarshalJSON(b []byte) error {
	var list []*float64
	if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*v = make(Values, len(list))
	for i, p := range list {
		if (*v)[i] = math.NaN(); p != nil {
			(*v)[i] = *p
		}
	}
	return nil
}
