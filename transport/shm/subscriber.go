package shm

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A Subscriber takes messages out of another process's arena. Take, Wait and
// Release are for one goroutine and allocate nothing; Close may be called from
// any, but not while one of them runs.
type Subscriber struct {
	layout
	table   table
	control []byte
	ring    ring
	waiter  waiter
	link    int // the socket; its end tells the publisher that we left

	space, hungry *atomic.Uint32

	gone    atomic.Uint32
	died    atomic.Bool
	watches sync.WaitGroup
	done    int // eventfd that ends the watch
}

// A Message is memory of the arena that nobody writes until it is released.
type Message struct {
	Data []byte
	// Seq counts the publisher's messages from 1; a gap is a message dropped.
	Seq   uint64
	index uint32
}

// Take waits for the next message, at most for timeout. It returns ErrTimeout,
// and io.EOF when the publisher is gone and all it published was taken.
func (s *Subscriber) Take(timeout time.Duration) (Message, error) {
	for {
		e, ok := s.ring.pop()
		if ok {
			return s.message(e)
		}
		if s.waiter.over() && s.ring.empty() {
			return Message{}, io.EOF
		}
		if timeout <= 0 {
			return Message{}, ErrTimeout
		}
		if err := s.waiter.wait(timeout); err != nil {
			return Message{}, err
		}
	}
}

// message finds the memory of a message, and trusts nothing in the entry.
func (s *Subscriber) message(e entry) (Message, error) {
	memory, ok := s.table.chunk(e.chunk)
	if !ok {
		return Message{}, fmt.Errorf("take message: no chunk has the number %d", e.chunk)
	}
	if uint64(e.length) > uint64(len(memory)) {
		s.release(e.chunk)
		return Message{}, fmt.Errorf("take message: %d bytes in a chunk of %d", e.length, len(memory))
	}
	return Message{Data: memory[:e.length:e.length], Seq: e.seq, index: e.chunk}, nil
}

// Release gives m back. Messages may be released in any order, each once.
func (s *Subscriber) Release(m Message) { s.release(m.index) }

func (s *Subscriber) release(i uint32) {
	s.ring.give(i)
	if s.hungry.Load() != 0 {
		s.space.Add(1)
		sys.WakeWord(s.space, 1)
	}
}

// Died reports whether the publisher ended without closing its arena.
func (s *Subscriber) Died() bool { return s.died.Load() }

// Size returns the bytes that the arena takes, once for all its users.
func (s *Subscriber) Size() int64 { return s.dataBytes() + int64(s.controlBytes()) }

// Close leaves the arena. What was not released goes back to the publisher.
func (s *Subscriber) Close() error {
	if s.done >= 0 {
		signal(s.done)
		s.watches.Wait()
	}
	if s.link >= 0 {
		unix.Write(s.link, []byte{byteLeft})
	}
	for _, fd := range []int{s.waiter.event, s.link, s.done} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	for _, mem := range [][]byte{s.control, s.table.data} {
		if mem != nil {
			unix.Munmap(mem)
		}
	}
	return nil
}
