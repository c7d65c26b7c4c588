package format

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// A tableRow is the figures of one row. Times are in ns, and absent unless their
// bit in missing is clear.
type tableRow struct {
	missing     results.Missing
	min, max    int64
	best, worst int64
	hasBest     bool
	avg         float64
	overruns    int64
	lost        int64
	switches    int64
	seconds     float64
	asked       float64
	label       string
}

const allFigures = results.NoMin | results.NoMean | results.NoMax | results.NoOverruns | results.NoLost

// width is how many cells a row of some kind has after its first.
func (h *heading) width(kind string) int {
	if kind == "RTS" && h.has(colBest) {
		return len(h.columns) - 1
	}
	return len(h.columns)
}

// row reads the cells after a row's first.
func (h *heading) row(cells [][]byte, kind string, o foreign.Options) (tableRow, error) {
	f := tableRow{missing: allFigures}
	unit := h.unit
	if unit == 0 {
		unit = unitOf(cells, o)
	}
	for i, cell := range cells {
		col := colOther
		if i < len(h.columns) {
			col = h.columns[i]
		}
		if kind == "RTS" && (col == colBest || col == colWorst) {
			col = colTime
		}
		if i == len(cells)-1 && col != colTime {
			cell = f.takeLabel(cell)
		}
		if len(cell) == 0 || string(cell) == "?" || string(cell) == "-" {
			continue
		}
		if err := f.set(col, cell, unit); err != nil {
			return f, err
		}
	}
	return f, nil
}

// takeLabel cuts a label off the last cell of a row.
func (f *tableRow) takeLabel(cell []byte) []byte {
	number, label, _ := bytes.Cut(cell, []byte{' '})
	f.label = string(bytes.TrimSpace(clipLine(label)))
	return number
}

// set stores the figure of one cell.
func (f *tableRow) set(col meaning, cell []byte, unit time.Duration) (err error) {
	switch col {
	case colMin:
		f.min, err = foreign.ParseTime(cell, unit)
		f.missing &^= results.NoMin
	case colAvg:
		f.avg, err = foreign.ParseTimeF(cell, unit)
		f.missing &^= results.NoMean
	case colMax:
		f.max, err = foreign.ParseTime(cell, unit)
		f.missing &^= results.NoMax
	case colBest:
		f.best, err = foreign.ParseTime(cell, unit)
		f.hasBest = true
	case colWorst:
		f.worst, err = foreign.ParseTime(cell, unit)
	case colOverruns:
		f.overruns, err = foreign.ParseCount(cell)
		f.missing &^= results.NoOverruns
	case colLost:
		f.lost, err = foreign.ParseCount(cell)
		f.missing &^= results.NoLost
	case colSwitches:
		f.switches, err = foreign.ParseCount(cell)
	case colTime:
		f.times(cell)
	}
	if err != nil {
		return fmt.Errorf("read table: %w", err)
	}
	return nil
}

// times reads "00:12:05", "00:00:10/00:00:10", and the label that may follow.
func (f *tableRow) times(cell []byte) {
	at, label, _ := bytes.Cut(cell, []byte{' '})
	f.label = string(bytes.TrimSpace(clipLine(label)))
	took, asked, _ := bytes.Cut(at, []byte{'/'})
	f.seconds, _ = foreign.Clock(took)
	f.asked, _ = foreign.Clock(asked)
}

// unitOf decides the unit of a row that stands under no "All results" line.
func unitOf(cells [][]byte, o foreign.Options) time.Duration {
	for _, cell := range cells[:min(len(cells), 3)] {
		if bytes.ContainsRune(cell, '.') {
			return time.Microsecond
		}
	}
	if o.Unit != 0 {
		return o.Unit
	}
	return time.Nanosecond
}

// nanoseconds turns seconds into ns.
func nanoseconds(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }
