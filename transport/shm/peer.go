package shm

import (
	"math/bits"
	"sync/atomic"

	"worstcase/internal/sys"
)

// A peer is what the publisher knows of one subscriber's place. But for state
// and event it belongs to the publisher's goroutine.
type peer struct {
	ring  ring
	state atomic.Uint32
	event atomic.Int32 // descriptor of Eventfd, else -1
	taken uint32       // given-back numbers already read
	has   []uint64     // bit set of the chunks queued or held
	n     int          // how many
}

// The states of a place. Serve moves it from free to joining to joined, the
// watch from joined to left or died, and the publisher back to free.
const (
	placeFree = iota
	placeJoining
	placeJoined
	placeLeft
	placeDied
)

// room makes room in the credit of q as the policy says, and reports whether
// there is some.
func (p *Publisher) room(q *peer) bool {
	if p.Reclaim(); q.n < p.depth {
		return true
	}
	switch p.config.Policy {
	case Block:
		call(&q.ring, int(q.event.Load()))
		ok := p.await(func() bool { return q.n < p.depth })
		if q.state.Load() != placeJoined {
			return false
		}
		if !ok {
			p.counts.TimedOut++
		}
		return ok
	case DropOldest:
		if e, ok := q.ring.pop(); ok {
			p.takeBack(q, e.chunk)
			p.counts.DroppedOldest++
			return true
		}
	}
	p.counts.DroppedNewest++
	return false
}

// await waits for cond while subscribers give chunks back, at most for the
// configured patience, and returns cond's last word. It sets hungry before it
// looks, as those who give back look at hungry after they gave; but for Spin,
// where nobody is called, and it looks often.
func (p *Publisher) await(cond func() bool) bool {
	start := sys.Nanotime()
	end := start + int64(p.config.Patience)
	if p.notifier != Spin {
		defer p.hungry.Store(0)
	}
	for {
		seen := p.space.Load()
		if p.notifier != Spin {
			p.hungry.Store(1)
		}
		if p.Reclaim(); cond() {
			return true
		}
		now := sys.Nanotime()
		switch {
		case now >= end:
			return false
		case p.notifier != Spin:
			sys.WaitWord(p.space, seen, min(end-now, int64(recheck)), p.config.Raw)
		case now >= start+int64(SpinTime):
			sleep(pollEvery, p.config.Raw)
		}
	}
}

// Reclaim takes in what subscribers gave back or left behind. Loan and Publish
// do it themselves when they need it.
func (p *Publisher) Reclaim() {
	for i := range p.peers {
		q := &p.peers[i]
		state := q.state.Load()
		if state < placeJoined {
			continue
		}
		for given := q.ring.given.Load(); q.taken != given; q.taken++ {
			p.takeBack(q, q.ring.back[q.taken&q.ring.mask].Load())
		}
		if state != placeJoined {
			p.bury(q, state == placeDied)
		}
	}
}

// takeBack ends q's hold of chunk i.
func (p *Publisher) takeBack(q *peer, i uint32) {
	if i >= uint32(len(p.refs)) || q.has[i/64]&(1<<(i%64)) == 0 {
		p.counts.Faults++
		return
	}
	q.has[i/64] &^= 1 << (i % 64)
	q.n--
	p.drop(i)
}

// bury takes back all that q had, and frees its place.
func (p *Publisher) bury(q *peer, died bool) {
	if died {
		p.counts.Died++
		p.counts.Recovered += uint64(q.n)
	}
	for w, set := range q.has {
		for ; set != 0; set &= set - 1 {
			p.drop(uint32(w*64 + bits.TrailingZeros64(set)))
		}
		q.has[w] = 0
	}
	q.n = 0
	if fd := q.event.Swap(-1); fd >= 0 {
		sys.Close(int(fd))
	}
	q.state.Store(placeFree)
}

// drop ends one hold of chunk i, and frees it with the last.
func (p *Publisher) drop(i uint32) {
	if p.refs[i]--; p.refs[i] == 0 {
		p.put(i)
	}
}

func (p *Publisher) put(i uint32) {
	c := p.class[i]
	p.free[c] = append(p.free[c], i)
}
