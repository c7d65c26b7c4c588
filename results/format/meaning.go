package format

import (
	"bytes"
	"strings"

	"worstcase/results/foreign"
)

// A meaning is what one column of a table of the RTH family holds.
type meaning int

const (
	colOther meaning = iota
	colMin
	colAvg
	colMax
	colOverruns
	colSwitches // msw: mode switches
	colLost
	colBest // least since the start
	colWorst
	colTime
)

// meaningOf tells the column under a header cell. The dashes around its words
// differ from version to version; the words don't, but for klatency's "klat".
func meaningOf(cell []byte) meaning {
	name := strings.ToLower(string(bytes.Trim(foreign.Clip(cell), "- ")))
	name = strings.TrimPrefix(strings.Join(strings.Fields(name), " "), "k")
	switch name {
	case "lat min":
		return colMin
	case "lat avg":
		return colAvg
	case "lat max":
		return colMax
	case "overrun", "overruns":
		return colOverruns
	case "msw":
		return colSwitches
	case "lost":
		return colLost
	case "lat best", "ovl min":
		return colBest
	case "lat worst", "ovl max":
		return colWorst
	case "test-time", "time":
		return colTime
	}
	return colOther
}

// isHeader tells whether cells name the columns of a table.
func isHeader(cells [][]byte) bool {
	return len(cells) > 2 && meaningOf(cells[1]) == colMin
}
