package switchbench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
)

// silence is how long no sample may come before something is wrong; it is above
// the longest period.
const silence = 5 * time.Second

// A Source measures one Config. It is a session.Source.
type Source struct {
	cfg  Config
	warn func(string)

	hub      *hub
	children []*sampler.Child
	idle     *os.File
	ledger   ledger
	heard    int64 // when the last sample was read
	broken   bool
	stopped  bool
}

// NewSource takes a Config with its defaults filled in. warn is told, a line
// each, what makes the measurement worth less.
func NewSource(cfg Config, warn func(string)) *Source {
	return &Source{cfg: cfg, warn: warn}
}

// Series is one, labelled with the mechanism and what parts the threads.
func (s *Source) Series() []results.SeriesInfo {
	return []results.SeriesInfo{{Labels: results.Labels{"mechanism": string(s.cfg.Mechanism), "space": s.cfg.Space()}}}
}

// Open moves the parent out of the way, makes the mechanism's objects and the
// threads.
func (s *Source) Open(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if s.cfg.Mechanism != Deadline {
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
	if s.hub, err = newHub(s.cfg.Mechanism, s.links()); err != nil {
		return err
	}
	return s.startChildren(ctx)
}

// links is one from the waker to the waiter, or one from each thread of a ring to
// the next.
func (s *Source) links() int {
	if s.cfg.Measure == HandOver {
		return 1
	}
	return s.cfg.Threads
}

// startChildren makes one child with all threads, or one for each.
func (s *Source) startChildren(ctx context.Context) error {
	each := s.cfg.Threads
	if s.cfg.Processes {
		each = 1
	}
	for first := 0; first < s.cfg.Threads; first += each {
		child, err := sampler.Start(ctx, s.childConfig(first, each), func(holder string) {
			s.warn("waiting for another measurement on this machine to end (" + holder + ")")
		})
		if err != nil {
			return err
		}
		s.children = append(s.children, child)
	}
	return nil
}

func (s *Source) childConfig(first, threads int) sampler.Config {
	c := &s.cfg
	config := sampler.Config{
		Loop: Loop.Name, Columns: len(Loop.Columns), Period: c.Period,
		Unlocked: c.Unlocked, Files: s.hub.files,
		Args: arguments{
			Mechanism: c.Mechanism, Measure: c.Measure, Period: c.Period, Break: c.Break,
			Rest: c.Policy.RealTime(), WorkingSet: c.WorkingSet, Private: !c.Processes,
			First: first, Threads: c.Threads, Links: s.links(), Semaphores: s.hub.semaphores, Rings: s.hub.rings,
		},
	}
	if c.Measure != HandOver {
		// No switch takes less than a microsecond; a ring that is full all the same
		// keeps the figures and leaves the samples out.
		config.Period, config.Buffer = time.Duration(c.Threads)*time.Microsecond, 2*time.Second
	}
	for i := range threads {
		config.Threads = append(config.Threads, c.thread(first+i))
	}
	return config
}

// Start lets the threads go, the first one last.
func (s *Source) Start(first, measured int64) error {
	s.ledger = ledger{period: int64(s.cfg.SamplePeriod()), due: first - int64(s.cfg.Period), left: s.cfg.Samples}
	s.heard = first
	for i := len(s.children) - 1; i >= 0; i-- {
		s.children[i].Go(first, measured)
	}
	return nil
}

// recording is the ring of the thread that puts the samples: the waiter, or the
// first of a ring.
func (s *Source) recording() *sampler.Drain {
	i := 0
	if s.cfg.Measure == HandOver {
		i = 1
	}
	if s.cfg.Processes {
		return s.children[i].Rings[0]
	}
	return s.children[0].Rings[i]
}

// Drain moves the samples into rec. It returns io.EOF when as many as were asked
// for are measured.
func (s *Source) Drain(rec *session.Recorder) error {
	var ended error
	var switches int64
	for _, c := range s.children {
		if err := c.Beat(); err != nil && (ended == nil || ended == io.EOF) {
			ended = err
		}
		for _, ring := range c.Rings {
			faults, involuntary := ring.Switches()
			switches += faults + involuntary
		}
	}
	now := sys.Nanotime()
	ring := s.recording()
	ring.Rows(func(row []int64) {
		s.heard = now
		s.ledger.take(rec, row)
	})
	if dropped, ok := ring.Dropped(); ok {
		s.ledger.merge(rec, &dropped)
	}
	if s.stopped {
		s.ledger.close(rec, s.hub)
	}
	rec.Switches(0, switches)
	return s.outcome(ended, now)
}

// outcome is how the source stands: at its end, broken, or silent for too long.
func (s *Source) outcome(ended error, now int64) error {
	switch {
	case errors.Is(ended, io.EOF) && s.broke():
		return session.ErrBreak
	case ended != nil:
		s.broken = !errors.Is(ended, io.EOF)
		return ended
	case s.ledger.done():
		return io.EOF
	case !s.stopped && now-s.heard > int64(silence):
		s.broken = true
		return remedy.Hint(fmt.Errorf("no switch by %s has been seen for %s", s.cfg.Mechanism, silence),
			"a measuring process may be stopped (SIGSTOP), or a thread of higher priority holds its CPU")
	}
	return nil
}

// broke tells whether a thread ended at the break value.
func (s *Source) broke() bool {
	for _, c := range s.children {
		if ended := c.Ended(); ended != nil {
			for _, t := range ended.Threads {
				if t.Reason == reasonBreak {
					return true
				}
			}
		}
	}
	return false
}

// Stop makes the first thread return, which makes the others do so. After a
// failure it leaves them to Close.
func (s *Source) Stop() error {
	if s.broken {
		return nil
	}
	s.hub.stop()
	s.stopped = true
	for _, c := range s.children {
		if err := c.Stop(); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the children and gives back what the machine was asked for.
func (s *Source) Close() (results.Figures, error) {
	figures := results.Figures{}
	for _, c := range s.children {
		if ended := c.Ended(); ended != nil {
			for name, v := range ended.Figures() {
				figures[name] += v
			}
		}
	}
	return figures, s.release()
}

func (s *Source) release() error {
	for _, c := range s.children {
		c.Close()
	}
	s.children = nil
	var err error
	if s.hub != nil {
		err = s.hub.close()
		s.hub = nil
	}
	if s.idle != nil {
		err = errors.Join(err, s.idle.Close())
		s.idle = nil
	}
	return err
}
