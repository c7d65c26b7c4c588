package session

import "worstcase/results"

// A Recorder cuts what a Source measured into intervals of one second, by the
// samples' own due times (CLOCK_MONOTONIC, ns), and hands each finished
// interval to the sinks. Due times of one series must not go backwards.
type Recorder struct {
	sink results.Sink
}
