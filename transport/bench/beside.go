package main

import (
	"slices"

	"worstcase/internal/sys"
	"worstcase/transport"
)

// beside is the arena, whose ends do with memory of their own, before each message
// and after it, what they do with the message: set all of it, and compare all of
// it. They tell their medians in ns among the drops.
type beside struct{ transport.Transport }

const (
	setTime     = "ns of a memset beside"
	compareTime = "ns of a compare beside"
)

func (beside) Name() string { return "beside" }

// A private is memory of this process alone.
type private struct {
	memory []byte
	took   []int64
}

func newPrivate(n int) private {
	p := private{memory: make([]byte, n), took: make([]int64, 0, 1<<16)}
	clear(p.memory)
	return p
}

// note takes down the time since start, a CLOCK_MONOTONIC time in ns.
func (p *private) note(start int64) {
	if len(p.took) < cap(p.took) {
		p.took = append(p.took, sys.Nanotime()-start)
	}
}

func (p *private) median() int64 {
	if len(p.took) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(p.took))[len(p.took)/2]
}

type besidePublisher struct {
	transport.Publisher
	private
}

func (b beside) Publisher(o transport.Options, links []*transport.Link) (transport.Publisher, error) {
	p, err := b.Transport.Publisher(o, links)
	return &besidePublisher{p, newPrivate(o.Size)}, err
}

func (p *besidePublisher) Loan() ([]byte, error) {
	start := sys.Nanotime()
	clear(p.memory)
	p.note(start)
	return p.Publisher.Loan()
}

func (p *besidePublisher) Drops() map[string]int64 { return map[string]int64{setTime: p.median()} }

type besideSubscriber struct {
	transport.Subscriber
	private
	block [4096]byte
}

func (b beside) Subscriber(o transport.Options, link *transport.Link) (transport.Subscriber, error) {
	s, err := b.Transport.Subscriber(o, link)
	return &besideSubscriber{Subscriber: s, private: newPrivate(o.Size)}, err
}

func (s *besideSubscriber) Release() {
	s.Subscriber.Release()
	start := sys.Nanotime()
	for at := 0; at < len(s.memory); at += len(s.block) {
		end := min(at+len(s.block), len(s.memory))
		if string(s.memory[at:end]) != string(s.block[:end-at]) {
			panic("zeros differ from zeros")
		}
	}
	s.note(start)
}

func (s *besideSubscriber) Drops() map[string]int64 { return map[string]int64{compareTime: s.median()} }
