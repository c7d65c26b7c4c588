package main

import (
	"io"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/transport"
)

// empty is a transport of as little as there can be: messages stand in shared
// memory, and a count of them goes up. What it takes longer than the C ring is
// what the loops of package transport cost. It has one subscriber, and never
// looks whether that has kept up.
type empty struct{}

func (empty) Name() string                                        { return "empty" }
func (empty) Describe() string                                    { return "a count in shared memory" }
func (empty) Check() error                                        { return nil }
func (empty) Managed() bool                                       { return false }
func (empty) Broker(transport.Options) (*transport.Broker, error) { return nil, nil }

// The memory holds the count, and, apart from it, slots in cache lines of their
// own. endWord is set when nothing more comes.
const (
	endWord    = 128
	emptySlots = 256
	emptyLine  = 128
)

func emptySlot(size int) int { return (size + emptyLine - 1) / emptyLine * emptyLine }

func emptyBytes(size int) int { return 2*emptyLine + emptySlots*emptySlot(size) }

// A slotted is one end.
type slotted struct {
	memory     []byte
	count, end *atomic.Uint32
	at         uint32
	size, slot int
}

func newSlotted(memory []byte, size int) slotted {
	return slotted{
		memory: memory, count: sys.SharedWord(memory, 0), end: sys.SharedWord(memory, endWord), size: size, slot: emptySlot(size),
	}
}

// message is the memory of the message that comes next.
func (s *slotted) message() []byte {
	at := 2*emptyLine + int(s.at%emptySlots)*s.slot
	return s.memory[at : at+s.size]
}

func (s *slotted) Drops() map[string]int64 { return nil }

type emptyPublisher struct{ slotted }

func (empty) Publisher(o transport.Options, links []*transport.Link) (transport.Publisher, error) {
	fd, memory, err := sys.NewSealed("empty", emptyBytes(o.Size), false)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := links[0].Send(struct{}{}, fd); err != nil {
		return nil, err
	}
	return &emptyPublisher{newSlotted(memory, o.Size)}, transport.AwaitReady(links)
}

func (p *emptyPublisher) Loan() ([]byte, error) { return p.message(), nil }

func (p *emptyPublisher) Publish() error {
	p.at++
	p.count.Store(p.at)
	return nil
}

func (p *emptyPublisher) Close() error {
	p.end.Store(1)
	return unix.Munmap(p.memory)
}

type emptySubscriber struct{ slotted }

func (empty) Subscriber(o transport.Options, link *transport.Link) (transport.Subscriber, error) {
	var hello struct{}
	fds, err := link.Receive(&hello, 1)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fds[0])
	memory, err := sys.MapSealed(fds[0], emptyBytes(o.Size), true)
	if err != nil {
		return nil, err
	}
	return &emptySubscriber{newSlotted(memory, o.Size)}, link.Ready()
}

func (s *emptySubscriber) Take() ([]byte, error) {
	for range 1 << 22 {
		if s.count.Load() != s.at {
			b := s.message()
			s.at++
			return b, nil
		}
	}
	if s.end.Load() != 0 {
		return nil, io.EOF
	}
	return nil, transport.ErrTimeout
}

func (s *emptySubscriber) Release()     {}
func (s *emptySubscriber) Close() error { return unix.Munmap(s.memory) }
