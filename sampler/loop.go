package sampler

import (
	"encoding/json"
	"fmt"
	"os"
	"sync/atomic"

	"worstcase/rtsched"
)

// A Loop is what the threads of a child run.
type Loop struct {
	// Name is what a Config calls it.
	Name string
	// Columns name the values of a row; the first is the due time.
	Columns []string
	// New prepares a thread: it allocates, opens and touches all that its body
	// needs. It runs on that thread, before it becomes a real-time one.
	New func(t *Thread) (Body, error)
}

// A Body is a hot loop, on its own locked thread, that puts rows until
// Stopped or until it has done all it was asked to; first is when its first
// sample is due. An error ends the measurement.
type Body func(first int64) error

// A Thread is a Body's view of its child.
type Thread struct {
	// Index of the thread in Config.Threads.
	Index int
	// Threads is how many there are.
	Threads int
	rtsched.Thread
	*Ring
	// Files are those of Config.Files.
	Files []*os.File
	// Common holds what a Loop's New, which runs for one thread after the other,
	// keeps for all threads of the child.
	Common *any

	args   json.RawMessage
	stop   *uint32
	start  *int64
	reason string
}

// Args decodes what Config.Args held.
func (t *Thread) Args(into any) error {
	if err := json.Unmarshal(t.args, into); err != nil {
		return fmt.Errorf("read the loop's arguments: %w", err)
	}
	return nil
}

// Measured is when the first sample after the warm-up is due, known once the
// body runs.
func (t *Thread) Measured() int64 { return *t.start }

// Stopped tells whether the body shall return.
//
//go:nosplit
func (t *Thread) Stopped() bool { return atomic.LoadUint32(t.stop) != 0 }

// End makes the bodies of all threads of this child return, and gives the
// reason that the thread's report will hold.
//
//go:nosplit
func (t *Thread) End(reason string) {
	t.reason = reason
	atomic.StoreUint32(t.stop, 1)
}
