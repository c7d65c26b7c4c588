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
	// tail counts the messages handed out; the publisher's alone.
	tail uint32
	// head counts the messages taken, by the subscriber or back by the publisher.
	// given counts what the subscriber gave back.
	head, given *atomic.Uint32
	// waiting is set by a subscriber that sleeps, or is about to; bell is the futex
	// that it sleeps on.
	waiting, bell *atomic.Uint32

	slots []byte
	laps  []atomic.Uint32 // the slots' words; every fourth is one with a lap
	back  []atomic.Uint32
	mask  uint32
	shift int // of a position, to its lap

	contested bool // both sides move the head
	sleeps    bool // a side may sleep until the other calls it
}

func (l layout) ring(control []byte, i int) ring {
	at := ringAt + i*l.ringBytes()
	n := l.slots()
	return ring{
		bell:    sys.SharedWord(control, at),
		head:    sys.SharedWord(control, at+apart),
		waiting: sys.SharedWord(control, at+2*apart),
		given:   sys.SharedWord(control, at+3*apart),
		slots:   control[at+ringHead : at+ringHead+slotBytes*n],
		laps:    sys.SharedWords(control, at+ringHead, slotWords*n),
		back:    sys.SharedWords(control, at+ringHead+slotBytes*n, n),
		mask:    uint32(n - 1),
		shift:   bits.Len(uint(n - 1)),

		contested: l.policy == DropOldest,
		sleeps:    l.notifier != Spin,
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
	at := r.tail & r.mask
	slot := r.slots[at*slotBytes:][:slotBytes]
	binary.NativeEndian.PutUint32(slot[4:], e.length)
	binary.NativeEndian.PutUint64(slot[8:], e.seq)
	r.announce(&r.laps[at*slotWords], r.lap(r.tail)<<lapShift|e.chunk)
	r.tail++
}

// announce stores a word that the other side may sleep for. Who can sleep has
// stored that it does before it looks at the word; so who announces must not look
// for a sleeper before its store is seen.
func (r *ring) announce(w *atomic.Uint32, value uint32) {
	if r.sleeps {
		w.Store(value)
	} else {
		sys.StoreRelease(w, value)
	}
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
		if !r.contested {
			sys.StoreRelease(r.head, h+1)
			return e, true
		}
		if r.head.CompareAndSwap(h, h+1) {
			return e, true
		}
	}
}

// give gives a chunk back. Only the subscriber calls it.
func (r *ring) give(chunk uint32) {
	g := r.given.Load()
	sys.StoreRelease(&r.back[g&r.mask], chunk)
	r.announce(r.given, g+1)
}

// empty reports whether nothing is queued.
func (r *ring) empty() bool {
	h := r.head.Load()
	return r.laps[(h&r.mask)*slotWords].Load()>>lapShift != r.lap(h)
}
