package sampler

import (
	"math"
	"sync/atomic"
)

// A Ring is the writing end of one thread's ring. Only that thread uses it.
type Ring struct {
	words   []uint32
	values  []int64
	rows    []int64
	columns int
	mask    uint32
	head    uint32
	// tail is the last one read from the shared word: it is read again only
	// when the ring seems full.
	tail uint32
}

func newRing(s *shared, thread int) *Ring {
	r := &Ring{columns: s.columns, mask: uint32(s.rows - 1)}
	r.words, r.values, r.rows = s.ring(thread)
	for c := range r.columns {
		v := r.values[valueDropped+1+c*perColumn:]
		v[columnMin], v[columnMax] = math.MaxInt64, math.MinInt64
	}
	return r
}

// Put adds a row, or adds it to the accumulators when the ring is full. The
// row's length is the number of the loop's columns.
//
//go:nosplit
func (r *Ring) Put(row []int64) {
	if r.head-r.tail > r.mask {
		r.tail = atomic.LoadUint32(&r.words[wordTail])
		if r.head-r.tail > r.mask {
			r.accumulate(row)
			return
		}
	}
	at := int(r.head&r.mask) * r.columns
	for i := range row {
		r.rows[at+i] = row[i]
	}
	r.head++
	atomic.StoreUint32(&r.words[wordHead], r.head)
}

//go:nosplit
func (r *Ring) accumulate(row []int64) {
	sequence := r.words[wordSequence]
	atomic.StoreUint32(&r.words[wordSequence], sequence+1)
	r.values[valueDropped]++
	for i := range row {
		at, v := valueDropped+1+i*perColumn, row[i]
		r.values[at+columnSum] += v
		if v < r.values[at+columnMin] {
			r.values[at+columnMin] = v
		}
		if v > r.values[at+columnMax] {
			r.values[at+columnMax] = v
			r.values[at+maxAt] = row[0]
		}
	}
	atomic.StoreUint32(&r.words[wordSequence], sequence+2)
}
