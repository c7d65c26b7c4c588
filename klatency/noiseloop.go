package klatency

import (
	"fmt"
	"sync/atomic"
	"time"

	"worstcase/internal/sys"
	"worstcase/sampler"
)

// NoiseLoop is what sampler.Main needs to run the child of a Noise.
var NoiseLoop = sampler.Loop{
	Name:    "noise",
	Columns: []string{"at", "gap", "interferences"},
	New:     newNoiseBody,
}

// noiseArguments is what the child gets.
type noiseArguments struct {
	Threshold time.Duration `json:"threshold_ns"`
	// Bytes is the length of the counters' memory, Words how many 64-bit words
	// lie between those of two threads.
	Bytes int `json:"bytes"`
	Words int `json:"words"`
}

func newNoiseBody(t *sampler.Thread) (sampler.Body, error) {
	var args noiseArguments
	if err := t.Args(&args); err != nil {
		return nil, err
	}
	memory, err := sys.Shared(int(t.Files[0].Fd()), args.Bytes)
	if err != nil {
		return nil, fmt.Errorf("map the interference counters: %w", err)
	}
	l := noiseLoop{thread: t, threshold: int64(args.Threshold), interferences: &sys.Values(memory)[t.Index*args.Words]}
	return func(first int64) error {
		sys.SleepUntil(first)
		l.run()
		return nil
	}, nil
}

type noiseLoop struct {
	thread        *sampler.Thread
	threshold     int64
	interferences *int64
	row           [3]int64
}

// run is the hot loop: it reads the clock and looks for gaps. The counter of
// interferences is read before and after, so that both belong together.
// Forbidden in it is what is forbidden in latency's.
func (l *noiseLoop) run() {
	t, row := l.thread, l.row[:]
	last, seen := sys.Nanotime(), atomic.LoadInt64(l.interferences)
	for !t.Stopped() {
		before := atomic.LoadInt64(l.interferences)
		now := sys.Nanotime()
		if atomic.LoadInt64(l.interferences) != before {
			continue
		}
		if gap := now - last; gap >= l.threshold {
			row[0], row[1], row[2] = last, gap, before-seen
			t.Put(row)
			now = sys.Nanotime()
		}
		last, seen = now, before
	}
}
