package shm

import (
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"worstcase/internal/sys"
)

// A ring is one subscriber's place in the control file, and the words it shares
// with the publisher.
type ring struct {
	// tail counts the messages handed out, head those taken, by the subscriber or
	// back by the publisher. given counts what the subscriber gave back.
	tail, head, given *atomic.Uint32
	// waiting is set by a subscriber that sleeps, or is about to; bell is the futex
	// that it sleeps on.
	waiting, bell *atomic.Uint32

	slots []byte
	laps  []atomic.Uint32 // the slots' words; every fourth is one with a lap
	back  []atomic.Uint32
	mask  uint32
	shift int // of a position, to its lap
}

func (l layout) ring(control []byte, i int) ring {
	at := ringAt + i*l.ringBytes()
	n := l.slots()
	return ring{
		tail:    sys.SharedWord(control, at),
		bell:    sys.SharedWord(control, at+apart),
		head:    sys.SharedWord(control, at+2*apart),
		waiting: sys.SharedWord(control, at+3*apart),
		given:   sys.SharedWord(control, at+4*apart),
		slots:   control[at+ringHead : at+ringHead+slotBytes*n],
		laps:    sys.SharedWords(control, at+ringHead, slotWords*n),
		back:    sys.SharedWords(control, at+ringHead+slotBytes*n, n),
		mask:    uint32(n - 1),
		shift:   bits.Len(uint(n - 1)),
	}
}

// An entry is what a slot says of a message.
type entry struct {
	chunk  uint32
	length uint32
	seq    uint64
}

// lap is what the slot of a position holds above the chunk number when the
// position has been handed out. The first lap is 1, as new memory holds 0.
func (r *ring) lap(position uint32) uint32 { return (position>>r.shift + 1) & lapMask }

// push hands out a message. Only the publisher calls it, with credit left.
func (r *ring) push(e entry) {
	t := r.tail.Load()
	at := t & r.mask
	slot := r.slots[at*slotBytes:][:slotBytes]
	binary.NativeEndian.PutUint32(slot[4:], e.length)
	binary.NativeEndian.PutUint64(slot[8:], e.seq)
	r.laps[at*slotWords].Store(r.lap(t)<<lapShift | e.chunk)
	r.tail.Store(t + 1)
}

// pop takes the oldest message, and returns false when there is none. Both
// sides call it; the slot is read before the head is claimed, so that a claim
// that fails has read nothing of use.
func (r *ring) pop() (e entry, ok bool) {
	for {
		h := r.head.Load()
		at := h & r.mask
		word := r.laps[at*slotWords].Load()
		if word>>lapShift != r.lap(h) {
			if r.head.Load() == h {
				return entry{}, false
			}
			continue // taken back meanwhile
		}
		slot := r.slots[at*slotBytes:][:slotBytes]
		e = entry{
			chunk:  word & (1<<lapShift - 1),
			length: binary.NativeEndian.Uint32(slot[4:]),
			seq:    binary.NativeEndian.Uint64(slot[8:]),
		}
		if r.head.CompareAndSwap(h, h+1) {
			return e, true
		}
	}
}

// empty reports whether nothing is queued.
func (r *ring) empty() bool {
	h := r.head.Load()
	return r.laps[(h&r.mask)*slotWords].Load()>>lapShift != r.lap(h)
}
