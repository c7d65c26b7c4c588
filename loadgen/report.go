package loadgen

import (
	"errors"

	"worstcase/internal/remedy"
)

// A report is a line of JSON from the supervisor to the tool.
type report struct {
	// Ready once every worker runs.
	Ready bool `json:"ready,omitempty"`
	// Notes are what the user should know, such as a limit that isn't there.
	Notes []string `json:"notes,omitempty"`
	// Error is why the load can't start, or that a worker died.
	Error       string `json:"error,omitempty"`
	Hint        string `json:"hint,omitempty"`
	Unavailable bool   `json:"unavailable,omitempty"`
}

func reportOf(err error) report {
	return report{Error: err.Error(), Hint: remedy.Of(err), Unavailable: errors.Is(err, remedy.ErrUnavailable)}
}

// err is the error that the report carries.
func (r report) err() error {
	switch {
	case r.Error == "":
		return nil
	case r.Unavailable:
		return remedy.Unavailable(errors.New(r.Error), r.Hint)
	case r.Hint != "":
		return remedy.Hint(errors.New(r.Error), r.Hint)
	}
	return errors.New(r.Error)
}
