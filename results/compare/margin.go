package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Margin is the difference that nobody minds: the larger of a fraction of the
// first side's figure and a duration (for counts an hour: of one).
type Margin struct {
	Relative float64
	Absolute time.Duration
}

// DefaultMargin is 5 % or 1 us, whichever is larger.
func DefaultMargin() Margin { return Margin{0.05, time.Microsecond} }

// ParseMargin reads "5%", "1us" or "5%,1us".
func ParseMargin(s string) (Margin, error) {
	var m Margin
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if number, relative := strings.CutSuffix(part, "%"); relative {
			x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || !(x >= 0) || x > 1000 {
				return m, fmt.Errorf("read margin %q: %q is no percentage", s, part)
			}
			m.Relative = x / 100
			continue
		}
		d, err := time.ParseDuration(part)
		if err != nil || d < 0 {
			return m, fmt.Errorf("read margin %q: %q is neither a percentage nor a duration with a unit", s, part)
		}
		m.Absolute = d
	}
	if m == (Margin{}) {
		return m, fmt.Errorf("read margin %q: no two figures can be shown to differ by nothing", s)
	}
	return m, nil
}

// String gives what ParseMargin reads.
func (m Margin) String() string {
	percent := strconv.FormatFloat(100*m.Relative, 'g', 6, 64) + "%"
	absolute := strings.ReplaceAll(m.Absolute.String(), "µ", "u")
	switch {
	case m.Absolute == 0:
		return percent
	case m.Relative == 0:
		return absolute
	}
	return percent + "," + absolute
}

// of is the margin for a figure, in the figure's unit.
func (m Margin) of(figure float64, unit string) float64 {
	least := float64(m.Absolute)
	if unit != "ns" {
		least = min(least, 1)
	}
	return math.Max(m.Relative*math.Abs(figure), least)
}
