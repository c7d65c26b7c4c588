package transport

import "math"

// A ledger keeps account of one publisher's messages at one subscriber, by
// their sequence numbers, the first of which is 1. Only the messages of the
// measured time count. Publisher and subscriber find their numbers by the same
// rule, so that their sums can be held against each other, the first message
// and the last one included.
type ledger struct {
	measured
	high uint64 // the newest number seen
	seen uint64 // bit n%64 for the last 64 numbers up to high

	received   uint32 // each number once
	gaps       uint32 // numbers left behind unseen, by 64 or more
	duplicates uint32
	reordered  uint32
}

// window is how far behind the newest message another may come: those later
// still count as reordered, but stay lost.
const window = 64

// measured says which sequence numbers belong to the measured time.
type measured struct {
	from, to    int64 // due times; to is 0 when it has no end yet
	first, last uint64
}

// newMeasured finds the numbers of a schedule whose message 1 is due at start.
// Without a period they are found as messages come.
func newMeasured(from, to, start, period int64) measured {
	m := measured{from: from, to: to, last: math.MaxUint64}
	if period > 0 {
		m.first = slot(from, start, period)
		if to > 0 {
			m.last = slot(to, start, period) - 1
		}
	}
	return m
}

// slot is the number of the first message that is due at t or later.
func slot(t, start, period int64) uint64 {
	if t <= start {
		return 1
	}
	return uint64((t-start+period-1)/period) + 1
}

// counts reports whether message seq, due at due, belongs to the measured time.
//
//go:nosplit
func (m *measured) counts(seq uint64, due int64) bool {
	if m.first == 0 {
		if due < m.from {
			return false
		}
		m.first = seq
	}
	if m.last == math.MaxUint64 && m.to > 0 && due >= m.to {
		m.last = seq - 1
	}
	return seq >= m.first && seq <= m.last
}

// note takes the arrival of message seq and reports whether it counts: it
// belongs to the measured time, is new, and is not hopelessly late.
//
//go:nosplit
func (l *ledger) note(seq uint64, due int64) bool {
	counts := l.counts(seq, due)
	switch {
	case seq > l.high:
		l.slide(seq)
	case l.high-seq >= window:
		if counts {
			l.reordered++
		}
		return false
	case l.seen&(1<<(seq%window)) != 0:
		if counts {
			l.duplicates++
		}
		return false
	case counts:
		l.reordered++
	}
	l.seen |= 1 << (seq % window)
	if counts {
		l.received++
	}
	return counts
}

// slide makes seq the newest number, and counts those that fall behind unseen.
//
//go:nosplit
func (l *ledger) slide(seq uint64) {
	for n := l.high + 1; n <= seq && n <= l.high+window; n++ {
		if n > window && l.seen&(1<<(n%window)) == 0 {
			l.missed(n-window, n-window)
		}
		l.seen &^= 1 << (n % window)
	}
	if seq > l.high+window {
		l.missed(l.high+1, seq-window)
	}
	l.high = seq
}

// missed counts the numbers from a to b as far as they are measured.
//
//go:nosplit
func (l *ledger) missed(a, b uint64) {
	if l.first == 0 {
		return
	}
	if a < l.first {
		a = l.first
	}
	if b > l.last {
		b = l.last
	}
	if a <= b {
		l.gaps += uint32(b - a + 1)
	}
}
