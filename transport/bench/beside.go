package main

import (
	"slices"

	"worstcase/internal/sys"
	"worstcase/transport"
)

// beside is the arena, whose ends do with memory of their own what they do with a
// message: set all of it, and compare all of it. They do it before the message, or
// after it: what comes first after a sleep takes longer. They tell their medians
// in ns among the drops.
type beside struct {
	transport.Transport
	before bool
}

const (
	setTime     = "ns of a memset beside"
	compareTime = "ns of a compare beside"
)

func (b beside) Name() string {
	if b.before {
		return "beside-before"
	}
	return "beside-after"
}

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
	before bool
}

func (b beside) Publisher(o transport.Options, links []*transport.Link) (transport.Publisher, error) {
	p, err := b.Transport.Publisher(o, links)
	return &besidePublisher{p, newPrivate(o.Size), b.before}, err
}

func (p *besidePublisher) Loan() ([]byte, error) {
	if p.before {
		p.set()
	}
	return p.Publisher.Loan()
}

func (p *besidePublisher) Publish() error {
	err := p.Publisher.Publish()
	if !p.before {
		p.set()
	}
	return err
}

func (p *besidePublisher) set() {
	start := sys.Nanotime()
	clear(p.memory)
	p.note(start)
}

func (p *besidePublisher) Drops() map[string]int64 { return map[string]int64{setTime: p.median()} }

type besideSubscriber struct {
	transport.Subscriber
	private
	before bool
	block  [4096]byte
}

func (b beside) Subscriber(o transport.Options, link *transport.Link) (transport.Subscriber, error) {
	s, err := b.Transport.Subscriber(o, link)
	return &besideSubscriber{Subscriber: s, private: newPrivate(o.Size), before: b.before}, err
}

func (s *besideSubscriber) Take() ([]byte, error) {
	b, err := s.Subscriber.Take()
	if err == nil && s.before {
		s.compare()
	}
	return b, err
}

func (s *besideSubscriber) Release() {
	s.Subscriber.Release()
	if !s.before {
		s.compare()
	}
}

func (s *besideSubscriber) compare() {
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
