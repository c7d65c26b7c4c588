// Package session makes one run: it starts a Source, drains it into intervals
// of one second, passes these to the sinks (printer, run log, gates), and
// records the machine before and after.
package session

import (
	"context"

	"worstcase/results"
)

// A Source is what a measuring package makes of its Config: threads or kernel
// programs that yield samples or finished histograms. Its methods are called
// in the order Series, Open, Start, Drain…, Stop, Drain, Close, by one goroutine.
type Source interface {
	// Series names what will be measured. A series' id is its index.
	Series() []results.SeriesInfo
	// Open makes the threads, or loads the programs, and returns when all are
	// ready and none measures yet.
	Open(ctx context.Context) error
	// Start lets them go together: the first sample is due at first, the first
	// one after the warm-up at measured, both CLOCK_MONOTONIC times in ns.
	Start(first, measured int64) error
	// Drain moves all that was measured since the last call into rec. It returns
	// io.EOF when the source ended by itself and nothing more will come, another
	// error when measuring broke down.
	Drain(rec *Recorder) error
	// Stop ends the measuring. What is left can still be drained.
	Stop() error
	// Close frees everything and returns what the source knows about its own
	// run: page faults, switches, memory.
	Close() (results.Figures, error)
}

// A Load is what disturbs the machine while a Source measures.
type Load interface {
	// Name is what tables call it, such as "xenomai" or "fork,cache".
	Name() string
	// Start returns when the load runs at full strength.
	Start(ctx context.Context) error
	// Rates are what each kind achieved since the last call.
	Rates() map[string]results.Rate
	// Err is what has gone wrong with the running load so far.
	Err() error
	// Stop ends the load, removes every trace of it, and returns what Err does.
	Stop() error
}
