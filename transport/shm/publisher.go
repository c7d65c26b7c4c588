package shm

import (
	"fmt"
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

	// departures counts the subscribers that left or died, buried those of them that
	// have been noticed.
	departures atomic.Uint32
	buried     uint32

	serving sync.Mutex // guards the finding of a place
	watches sync.WaitGroup
	done    int // eventfd that ends the watches
}

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
		p.reclaimFor(c)
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

// smallChunk is the size in bytes up to which it is dearer to learn of a chunk that
// came back, from cache lines that its subscriber writes, than to use one that has
// been out of use for longer.
const smallChunk = 4096

// reclaimFor takes in what came back, so that the chunk of class c used last is
// used first; of small ones only when there is none.
func (p *Publisher) reclaimFor(c int) {
	gone := p.departures.Load()
	if gone == p.buried && p.table.spans[c].size <= smallChunk && len(p.free[c]) > 0 {
		return
	}
	p.buried = gone
	p.Reclaim()
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
