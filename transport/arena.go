package transport

import (
	"errors"
	"fmt"
	"io"
	"time"

	"worstcase/transport/shm"
)

// arena carries messages through the shared memory of transport/shm.
type arena struct{ direct }

func (arena) Name() string     { return "shm" }
func (arena) Describe() string { return "shared-memory arena of this program, no copy" }

func (arena) Publisher(o Options, links []*Link) (Publisher, error) {
	arena, err := shm.New(shm.Config{
		Classes:     []shm.Class{{Size: o.Size, Count: len(links)*o.Depth + 2}},
		Subscribers: len(links),
		Depth:       o.Depth,
		Policy:      o.arenaPolicy(),
		Notifier:    o.Notifier,
		Raw:         o.Raw,
	})
	if err != nil {
		return nil, err
	}
	for _, link := range links {
		if err := arena.Serve(link.Detach()); err != nil {
			arena.Close()
			return nil, err
		}
	}
	return &arenaPublisher{arena: arena, size: o.Size}, nil
}

func (arena) Subscriber(o Options, link *Link) (Subscriber, error) {
	arena, err := shm.Join(link.Detach(), shm.Options{Raw: o.Raw})
	if err != nil {
		return nil, err
	}
	s := &arenaSubscriber{arena: arena, patience: takePatience}
	if o.Notifier == shm.Spin {
		s.patience = spinPatience
	}
	return s, nil
}

// arenaPolicy is what the arena does when a credit is used up.
func (o Options) arenaPolicy() shm.Policy {
	switch {
	case !o.BestEffort:
		return shm.Block
	case o.Policy == shm.Block:
		return shm.DropNewest
	}
	return o.Policy
}

type arenaPublisher struct {
	arena *shm.Publisher
	size  int
	loan  shm.Chunk
}

func (p *arenaPublisher) Loan() ([]byte, error) {
	c, err := p.arena.Loan(p.size)
	if err != nil {
		return nil, ErrDropped
	}
	p.loan = c
	return c.Data, nil
}

func (p *arenaPublisher) Publish() error {
	p.arena.Publish(p.loan)
	return nil
}

func (p *arenaPublisher) Drops() map[string]int64 {
	c := p.arena.Counts()
	return map[string]int64{
		"pool empty":   int64(c.PoolEmpty),
		"drop-oldest":  int64(c.DroppedOldest),
		"drop-newest":  int64(c.DroppedNewest),
		"block, tired": int64(c.TimedOut),
	}
}

// Close waits until the subscribers have taken all, so that the memory's owner
// outlives its use.
func (p *arenaPublisher) Close() error {
	if err := p.arena.Drained(time.Second); err != nil {
		err = fmt.Errorf("wait for subscribers: %w", err)
		return errors.Join(err, p.arena.Close())
	}
	return p.arena.Close()
}

type arenaSubscriber struct {
	arena    *shm.Subscriber
	held     shm.Message
	patience time.Duration
}

// The patience bounds a wait, so that the reader can see that it shall stop, or,
// spinning, that it must rest.
const (
	takePatience = 200 * time.Millisecond
	spinPatience = 10 * time.Millisecond
)

func (s *arenaSubscriber) Take() ([]byte, error) {
	m, err := s.arena.Take(s.patience)
	switch err {
	case nil:
		s.held = m
		return m.Data, nil
	case shm.ErrTimeout:
		return nil, ErrTimeout
	case io.EOF:
		return nil, io.EOF
	}
	return nil, err
}

func (s *arenaSubscriber) Release()                { s.arena.Release(s.held) }
func (s *arenaSubscriber) Drops() map[string]int64 { return nil }
func (s *arenaSubscriber) Close() error            { return s.arena.Close() }
