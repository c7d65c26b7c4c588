package loadgen

import (
	"crypto/sha256"
	"math"
	"math/bits"
)

func cpuKind() Kind {
	return Kind{
		Name:     "cpu",
		Stresses: "the processor: integer, floating point and vector units in turn",
		Counter:  "cpu time of the cgroup",
		Parts: []Part{{
			Unit: "round/s",
			start: func(w *worker, lanes []*uint32) error {
				return w.thread(lanes[0], new(arithmetic).round)
			},
		}},
	}
}

// arithmetic keeps what the rounds compute, so that no compiler drops it.
type arithmetic struct {
	integer uint64
	float   float64
	block   [1024]byte
}

// round takes some ten microseconds: a third of them for each unit. The vector
// work is SHA-256, for which the standard library has vector code.
func (a *arithmetic) round() int {
	for i := range uint64(2000) {
		a.integer = bits.RotateLeft64(a.integer*0x9E3779B97F4A7C15+i, 27)
	}
	for i := range 500 {
		a.float = math.Sqrt(a.float*1.0000001 + float64(i))
	}
	for range 4 {
		sum := sha256.Sum256(a.block[:])
		copy(a.block[:], sum[:])
	}
	return 1
}
