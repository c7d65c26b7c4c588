package loadgen

import (
	"sync/atomic"

	"worstcase/internal/sys"
)

func cacheKind() Kind {
	return Kind{
		Name:     "cache",
		Stresses: "caches: a line that bounces between the CPUs, and the last level thrashed",
		Counter:  "hardware cache misses",
		Memory:   true,
		Parts: []Part{
			{Name: "line", Unit: "add/s", Lanes: eachCPU, start: startLine},
			{Name: "last-level", Unit: "line/s", start: startThrash},
		},
	}
}

// startLine lets a thread on each CPU add to the same word.
func startLine(w *worker, lanes []*uint32) error {
	word := new(struct {
		_     [laneBytes]byte
		value uint32
		_     [laneBytes]byte
	})
	return w.threads(lanes, func(int) func() int {
		return func() int {
			for range 256 {
				atomic.AddUint32(&word.value, 1)
			}
			return 256
		}
	})
}

// thrashBytes is more than the last-level caches of most machines.
const thrashBytes = 64 << 20

// startThrash writes to cache lines in an order that no prefetcher follows: the
// full-period sequence x ← 5x+1 modulo a power of two (Hull and Dobell, 1962).
func startThrash(w *worker, lanes []*uint32) error {
	size := laneBytes
	for size*2 <= int(min(w.Memory/2, thrashBytes)) {
		size *= 2
	}
	b, err := memory(size, false)
	if err != nil {
		return err
	}
	words := sys.Words(b)
	mask, line := uint32(size/laneBytes-1), uint32(0)
	return w.thread(lanes[0], func() int {
		for range 1024 {
			line = (line*5 + 1) & mask
			words[line*(laneBytes/4)]++
		}
		return 1024
	})
}
