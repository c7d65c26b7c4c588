package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
)

// A Source measures one cell. It is a session.Source.
type Source struct {
	cfg  Config
	warn func(string)

	broker      *Broker
	board       *board
	publishers  []*sampler.Child
	subscribers []*sampler.Child
	idle        *os.File
	tally       tally
	over        bool
	failed      bool // an end was gone before it was told to
}

// NewSource takes a Config with its defaults filled in. warn is told, a line
// each, what makes the measurement worth less.
func NewSource(cfg Config, warn func(string)) *Source {
	return &Source{cfg: cfg, warn: warn}
}

// Series are those of each subscriber, then those of each publisher.
func (s *Source) Series() []results.SeriesInfo { return s.cfg.series() }

// Open starts the broker, if there is one, and the processes of both ends, and
// returns when all are connected.
func (s *Source) Open(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if len(s.cfg.CPUs) > 0 {
		if moved, err := rtsched.KeepOff(s.cfg.CPUs); err != nil {
			return err
		} else if !moved {
			s.warn("every CPU is measured: reading and writing the samples disturbs them")
		}
	}
	if !s.cfg.KeepIdle {
		if s.idle, err = rtsched.HoldDMALatency(s.cfg.DMALatency); err != nil {
			s.warn(err.Error() + ": CPUs may fall into deep idle states")
		}
	}
	o := s.cfg.options()
	o.Topic = fmt.Sprintf("worstcase-%d", os.Getpid())
	if o.URL == "" {
		if s.broker, err = s.cfg.Transport.Broker(o); err != nil {
			return fmt.Errorf("start broker of %s: %w", s.cfg.Transport.Name(), err)
		}
		if s.broker != nil {
			o.URL = s.broker.URL
		}
	}
	if s.board, err = newBoard(s.cfg.Publishers + s.cfg.Publishers*s.cfg.Subscribers); err != nil {
		return err
	}
	return s.startEnds(ctx, o)
}

// startEnds starts all processes at once, for they wait for each other.
func (s *Source) startEnds(ctx context.Context, o Options) error {
	w, err := newWiring(&s.cfg)
	if err != nil {
		return err
	}
	defer w.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.publishers = make([]*sampler.Child, s.cfg.Publishers)
	s.subscribers = make([]*sampler.Child, s.cfg.Subscribers)
	var wait sync.WaitGroup
	var once sync.Once
	var first error
	start := func(child **sampler.Child, cfg sampler.Config, what string) {
		wait.Go(func() {
			c, err := sampler.Start(ctx, cfg, func(holder string) {
				once.Do(func() { s.warn("waiting for another measurement on this machine to end (" + holder + ")") })
			})
			if err != nil {
				w.fail(&first, fmt.Errorf("%s: %w", what, err))
				cancel()
				return
			}
			*child = c
		})
	}
	// One lock for all of them, taken before any can wait for another.
	unlock, err := rtsched.LockMachine(ctx, func(holder string) {
		s.warn("waiting for another measurement on this machine to end (" + holder + ")")
	})
	if err != nil {
		return err
	}
	defer unlock()
	for i := range s.publishers {
		start(&s.publishers[i], s.publisherConfig(i, o, w), "publisher")
	}
	for i := range s.subscribers {
		start(&s.subscribers[i], s.subscriberConfig(i, o, w), "subscriber")
	}
	wait.Wait()
	return first
}

func (s *Source) childConfig(loop string, columns int, a arguments, threads []rtsched.Thread) sampler.Config {
	c := &s.cfg
	a.Transport, a.Period, a.Touch, a.RoundTrip = c.Transport.Name(), c.Period(), !c.NoTouch, c.RoundTrip
	a.Words = c.Words
	a.Rest, a.Spins = c.Policy.RealTime() && !c.AllowThrottle, c.spins()
	a.Ends = c.Publishers + c.Publishers*c.Subscribers
	return sampler.Config{
		Loop: loop, Columns: columns, Args: a, Threads: threads, Period: c.ringPeriod(),
		Spins: c.AllowThrottle, Unlocked: c.Unlocked || c.Transport.Managed(), GC: c.Transport.Managed(),
	}
}

func (s *Source) thread(name string, end int) rtsched.Thread {
	return rtsched.Thread{Name: name, Policy: s.cfg.Policy, Priority: s.cfg.Priority, CPU: s.cfg.cpu(end)}
}

func (s *Source) publisherConfig(i int, o Options, w *wiring) sampler.Config {
	threads := []rtsched.Thread{s.thread(fmt.Sprintf("publish-%d", i+1), i)}
	if s.cfg.RoundTrip {
		threads = append(threads, s.thread("returned", i))
	}
	a := arguments{Options: o, Publisher: i, First: i}
	if s.cfg.RoundTrip {
		a.First = 0
	}
	c := s.childConfig(loopPublish, len(publishColumns()), a, threads)
	c.Files = w.publisherFiles(i, s.board.file)
	return c
}

func (s *Source) subscriberConfig(i int, o Options, w *wiring) sampler.Config {
	var threads []rtsched.Thread
	for range s.cfg.Publishers {
		threads = append(threads, s.thread(fmt.Sprintf("subscribe-%d", i+1), s.cfg.Publishers+i))
	}
	a := arguments{Options: o, First: s.page(i, 0)}
	c := s.childConfig(loopSubscribe, len(subscribeColumns()), a, threads)
	c.Files = w.subscriberFiles(i, s.board.file)
	return c
}

// page is the number of the page of subscriber i's thread for publisher p;
// publishers' pages come first.
func (s *Source) page(i, p int) int { return s.cfg.Publishers + i*s.cfg.Publishers + p }

// Start lets all threads go.
func (s *Source) Start(first, measured int64) error {
	to := int64(0)
	if s.cfg.Duration > 0 {
		to = measured + int64(s.cfg.Duration)
	}
	s.board.setTime(measured, to)
	s.tally.begin(s, first, measured, to)
	for _, c := range s.subscribers {
		c.Go(first, measured)
	}
	for _, c := range s.publishers {
		c.Go(first, measured)
	}
	return nil
}

// Drain moves the samples of all threads into rec. It returns io.EOF when a
// process ended by itself.
func (s *Source) Drain(rec *session.Recorder) error {
	var ended error
	for _, c := range s.children() {
		if err := c.Beat(); err != nil && (ended == nil || ended == io.EOF) {
			ended = err
		}
	}
	s.failed = s.failed || ended != nil && !s.over
	s.tally.drain(s, rec)
	return ended
}

func (s *Source) children() []*sampler.Child {
	var all []*sampler.Child
	for _, list := range [][]*sampler.Child{s.publishers, s.subscribers} {
		for _, c := range list {
			if c != nil {
				all = append(all, c)
			}
		}
	}
	return all
}

// Stop ends the publishers; the subscribers end with the last message, which
// may be long on its way.
func (s *Source) Stop() error {
	s.tally.stop(s)
	stopped := make(chan struct{})
	var pulsing sync.WaitGroup
	pulsing.Go(func() { pulse(s.children(), stopped) })
	defer pulsing.Wait()
	defer close(stopped)
	var err error
	for _, c := range s.children() {
		err = errors.Join(err, c.Stop())
	}
	s.over = true
	return err
}

// pulse keeps all children alive while one of them is waited for.
func pulse(children []*sampler.Child, stopped chan struct{}) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		for _, c := range children {
			c.Pulse()
		}
		select {
		case <-tick.C:
		case <-stopped:
			return
		}
	}
}

// Close ends the processes and returns what the cell cost and lost.
func (s *Source) Close() (results.Figures, error) {
	var figures results.Figures
	if s.over {
		figures = s.tally.figures(s)
	}
	return figures, s.release()
}

func (s *Source) release() error {
	for _, c := range s.children() {
		c.Close()
	}
	s.publishers, s.subscribers = nil, nil
	if s.board != nil {
		s.board.close()
		s.board = nil
	}
	var err error
	if s.broker != nil {
		err = s.broker.Stop()
		s.broker = nil
	}
	if s.idle != nil {
		err = errors.Join(err, s.idle.Close())
		s.idle = nil
	}
	return err
}
