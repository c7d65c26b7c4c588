// Package render lays figures out as tables for people: plain text for a
// terminal, Markdown for a report. A column has one unit and one precision, so
// that its figures can be compared by eye.
package render

import (
	"math"
	"strconv"
	"strings"
)

// A Table is rows of cells under columns, with notes below.
type Table struct {
	// Title stands above, if there is one.
	Title   string
	Columns []Column
	// Rows hold one cell a column. Cells that a short row lacks are empty.
	Rows [][]Cell
	// Notes stand below, a line each.
	Notes []string
}

// A Column says how its cells are written.
type Column struct {
	Title string
	// Unit stands behind the title: "us", "%", "1/s".
	Unit string
	// Scale divides the numbers: 1000 shows ns as µs. 0 is 1.
	Scale float64
	// Precision is the number of decimals.
	Precision int
	// Left aligns to the left, as words are; numbers stand to the right.
	Left bool
}

// Words is a column of words.
func Words(title string) Column { return Column{Title: title, Left: true} }

// Count is a column of whole numbers.
func Count(title string) Column { return Column{Title: title} }

// Latency is a column of times that are given in ns and shown in µs with all
// their digits.
func Latency(title string) Column {
	return Column{Title: title, Unit: "us", Scale: 1000, Precision: 3}
}

// A Cell is a number, some text, or unknown. The zero Cell is empty.
type Cell struct {
	text   string
	number float64
	kind   int
}

const (
	kindText = iota
	kindNumber
	kindUnknown
)

// Text makes a cell of words. Line breaks become spaces.
func Text(s string) Cell { return Cell{text: strings.Join(strings.Fields(s), " ")} }

// Number makes a cell of a number, which its column scales. NaN is unknown.
func Number(v float64) Cell {
	if math.IsNaN(v) {
		return Unknown()
	}
	return Cell{number: v, kind: kindNumber}
}

// Unknown makes a cell of a figure that nobody recorded. It shows as "?".
func Unknown() Cell { return Cell{kind: kindUnknown} }

// Known makes a cell of a number, or an unknown one.
func Known(v float64, known bool) Cell {
	if known {
		return Number(v)
	}
	return Unknown()
}

// Add adds a row.
func (t *Table) Add(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// heading is the title with its unit.
func (c *Column) heading() string { return strings.TrimSpace(c.Title + " " + c.Unit) }

func (c *Column) format(cell Cell) string {
	switch cell.kind {
	case kindUnknown:
		return "?"
	case kindNumber:
		scale := c.Scale
		if scale == 0 {
			scale = 1
		}
		return strconv.FormatFloat(cell.number/scale, 'f', c.Precision, 64)
	}
	return cell.text
}

// strings returns the headings and the written cells.
func (t *Table) strings() (head []string, rows [][]string) {
	for i := range t.Columns {
		head = append(head, t.Columns[i].heading())
	}
	for _, cells := range t.Rows {
		row := make([]string, len(t.Columns))
		for i := range row {
			if i < len(cells) {
				row[i] = t.Columns[i].format(cells[i])
			}
		}
		rows = append(rows, row)
	}
	return head, rows
}

// Value is the number of a cell, false when it has none.
func (c Cell) Value() (float64, bool) { return c.number, c.kind == kindNumber }

// Empty says whether nothing is shown.
func (c Cell) Empty() bool { return c.kind == kindText && c.text == "" }
