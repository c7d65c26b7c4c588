package results

import (
	"encoding/json"
	"strings"
)

// Missing is the set of figures of a Tally that nobody knows, since an imported
// file does not tell them. What worstcase measures itself misses none, so the
// zero value is right there. A missing figure's field is meaningless, prints as
// "?", and takes part in no gate and no comparison.
type Missing uint16

// The figures that can be missing.
const (
	NoCount Missing = 1 << iota // Count, and with it Samples
	NoMin
	NoMean // neither Sum and Samples nor Average give a mean
	NoP50
	NoP90
	NoP99
	NoP99_9
	NoP99_99
	NoP99_999
	NoMax
	NoMaxAt
	NoOverruns
	NoLost

	// NoPercentiles stands for all six.
	NoPercentiles = NoP50 | NoP90 | NoP99 | NoP99_9 | NoP99_99 | NoP99_999
)

// Has tells whether any figure of set is missing.
func (m Missing) Has(set Missing) bool { return m&set != 0 }

// missingNames are the names that the figures have in the run log, by bit.
func missingNames() [13]string {
	return [...]string{
		"count", "min_ns", "mean_ns",
		"p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "p99_999_ns",
		"max_ns", "max_at_ns", "overruns", "lost",
	}
}

// String lists the missing figures, separated by spaces.
func (m Missing) String() string { return strings.Join(m.names(), " ") }

func (m Missing) names() []string {
	var list []string
	for i, name := range missingNames() {
		if m.Has(1 << i) {
			list = append(list, name)
		}
	}
	return list
}

// MarshalJSON writes the figures as a list of their names in the run log.
func (m Missing) MarshalJSON() ([]byte, error) { return json.Marshal(m.names()) }

// UnmarshalJSON reads such a list. Names it does not know are ignored.
func (m *Missing) UnmarshalJSON(text []byte) error {
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*m = 0
	for i, known := range missingNames() {
		for _, name := range list {
			if name == known {
				*m |= 1 << i
			}
		}
	}
	return nil
}
