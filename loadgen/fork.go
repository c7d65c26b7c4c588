package loadgen

import (
	"fmt"

	"worstcase/internal/sys"
)

func forkKind() Kind {
	return Kind{
		Name:     "fork",
		Stresses: "process creation: clone and exit, as fast as they go",
		Counter:  "/proc/stat processes",
		Parts: []Part{{
			Unit: "fork/s",
			start: func(w *worker, lanes []*uint32) error {
				if err := sys.ForkExit(); err != nil {
					return fmt.Errorf("fork: %w", err)
				}
				return w.thread(lanes[0], func() int { return worked(sys.ForkExit()) })
			},
		}},
	}
}

// worked is 1 unless there is an error. A load may meet its own limits.
func worked(err error) int {
	if err != nil {
		return 0
	}
	return 1
}
