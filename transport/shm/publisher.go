package shm

import (
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A Publisher owns an arena. Loan, Publish, Discard, Reclaim and Counts are for
// one goroutine; Serve may be called from any, and Close when the others have
// returned. Loan and Publish
// allocate nothing.
type Publisher struct {
	layout
	config  Config
	table   table
	control []byte
	fds     [2]int // control, data
	seq     uint64
	counts  Counts

	space, hungry, closed *atomic.Uint32

	free  [][]uint32 // chunk numbers by class, the last used on top
	refs  []uint16   // subscribers that have each chunk
	class []uint8    // class of each chunk
	peers []peer

	serving sync.Mutex // guards the finding of a place
	watches sync.WaitGroup
	done    int // eventfd that ends the watches
}

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

// A Chunk is memory on loan: Data has the length that was asked for, and holds
// whatever was in it before.
type Chunk struct {
	Data  []byte
	index uint32
}

// New makes an arena. The caller must Close it.
func New(c Config) (*Publisher, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("make arena: %w", err)
	}
	p := &Publisher{layout: layoutOf(c), config: c, fds: [2]int{-1, -1}, done: -1}
	if p.fds[0], p.control, err = sys.NewSealed("shm-control", p.controlBytes(), false); err != nil {
		return nil, fmt.Errorf("make arena: %w", err)
	}
	if p.fds[1], p.table.data, err = sys.NewSealed("shm-data", int(p.dataBytes()), true); err != nil {
		p.unmap()
		return nil, fmt.Errorf("make arena: %w", err)
	}
	if p.done, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
		p.unmap()
		return nil, fmt.Errorf("make arena: %w", err)
	}
	p.table = p.layout.table(p.table.data)
	p.layout.write(p.control)
	p.space = sys.SharedWord(p.control, spaceAt)
	p.hungry = sys.SharedWord(p.control, hungryAt)
	p.closed = sys.SharedWord(p.control, closedAt)
	p.stock()
	return p, nil
}

// stock puts every chunk on the free list of its class and makes the places.
func (p *Publisher) stock() {
	p.refs = make([]uint16, p.chunks())
	p.class = make([]uint8, p.chunks())
	for c, s := range p.table.spans {
		list := make([]uint32, s.count)
		for i := range list {
			list[i] = s.first + s.count - 1 - uint32(i)
			p.class[list[i]] = uint8(c)
		}
		p.free = append(p.free, list)
	}
	p.peers = make([]peer, p.subs)
	for i := range p.peers {
		p.peers[i].ring = p.layout.ring(p.control, i)
		p.peers[i].event.Store(-1)
		p.peers[i].has = make([]uint64, (p.chunks()+63)/64)
	}
}

// Size returns the bytes that the arena takes, once for all its users.
func (p *Publisher) Size() int64 { return p.dataBytes() + int64(p.controlBytes()) }

// Loan lends a chunk for a message of n bytes, out of the smallest class that
// holds it. It returns ErrTooLarge, or ErrPoolEmpty when all chunks of that
// class are out; under Block it waits for one first.
func (p *Publisher) Loan(n int) (Chunk, error) {
	for c := range p.free {
		if n > p.table.spans[c].size {
			continue
		}
		p.Reclaim()
		if len(p.free[c]) == 0 && (p.config.Policy != Block || !p.await(func() bool { return len(p.free[c]) > 0 })) {
			p.counts.PoolEmpty++
			return Chunk{}, ErrPoolEmpty
		}
		last := len(p.free[c]) - 1
		i := p.free[c][last]
		p.free[c] = p.free[c][:last]
		memory, _ := p.table.chunk(i)
		return Chunk{Data: memory[:n], index: i}, nil
	}
	return Chunk{}, ErrTooLarge
}

// Discard gives a loan back unpublished.
func (p *Publisher) Discard(c Chunk) { p.put(c.index) }

// Publish hands c to every subscriber and wakes those who wait. The memory must
// not be written any more. It returns the message's sequence number; the first
// one is 1.
func (p *Publisher) Publish(c Chunk) uint64 {
	p.push(c)
	for i := range p.peers {
		if q := &p.peers[i]; q.state.Load() == placeJoined {
			call(&q.ring, int(q.event.Load()))
		}
	}
	return p.seq
}

// push is Publish without the wake-ups.
func (p *Publisher) push(c Chunk) {
	p.seq++
	p.counts.Published++
	e := entry{chunk: c.index, length: uint32(len(c.Data)), seq: p.seq}
	p.refs[c.index]++ // held by the publisher meanwhile
	for i := range p.peers {
		q := &p.peers[i]
		if q.state.Load() != placeJoined || q.n >= p.depth && !p.room(q) {
			continue
		}
		q.has[c.index/64] |= 1 << (c.index % 64)
		q.n++
		p.refs[c.index]++
		q.ring.push(e)
	}
	p.drop(c.index)
}

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
// looks, as those who give back look at hungry after they gave.
func (p *Publisher) await(cond func() bool) bool {
	end := sys.Nanotime() + int64(p.config.Patience)
	defer p.hungry.Store(0)
	for {
		seen := p.space.Load()
		p.hungry.Store(1)
		if p.Reclaim(); cond() {
			return true
		}
		left := end - sys.Nanotime()
		if left <= 0 {
			return false
		}
		sys.WaitWord(p.space, seen, min(left, int64(recheck)), p.config.Raw)
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

// Free returns how many chunks of all classes are free.
func (p *Publisher) Free() int {
	p.Reclaim()
	n := 0
	for _, list := range p.free {
		n += len(list)
	}
	return n
}

// Subscribers returns how many have joined and are alive, as far as is known.
func (p *Publisher) Subscribers() int {
	n := 0
	for i := range p.peers {
		if p.peers[i].state.Load() == placeJoined {
			n++
		}
	}
	return n
}

// Counts returns what became of the messages so far.
func (p *Publisher) Counts() Counts {
	p.Reclaim()
	return p.counts
}

// Drained waits until every subscriber took and gave back all that was
// published, at most for timeout.
func (p *Publisher) Drained(timeout time.Duration) error {
	for end := sys.Nanotime() + int64(timeout); p.Free() < p.chunks(); {
		if sys.Nanotime() > end {
			return ErrTimeout
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// Close tells the subscribers that nothing more will come and gives the memory
// up. They can still take what is queued.
func (p *Publisher) Close() error {
	p.closed.Store(1)
	for i := range p.peers {
		call(&p.peers[i].ring, int(p.peers[i].event.Load()))
	}
	signal(p.done)
	p.watches.Wait()
	p.unmap()
	return nil
}

// unmap frees what New made.
func (p *Publisher) unmap() {
	for i := range p.peers {
		if fd := p.peers[i].event.Swap(-1); fd >= 0 {
			unix.Close(int(fd))
		}
	}
	for _, fd := range []int{p.fds[0], p.fds[1], p.done} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	for _, mem := range [][]byte{p.control, p.table.data} {
		if mem != nil {
			unix.Munmap(mem)
		}
	}
}
