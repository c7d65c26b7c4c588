package sampler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
	"worstcase/rtsched"
)

// A Config says what a child shall run.
type Config struct {
	// Loop is the name of one of Main's loops, Columns the number of its columns.
	Loop    string
	Columns int
	// Args is what the loop's New decodes with Thread.Args.
	Args any
	// Threads, one ring each.
	Threads []rtsched.Thread
	// Period of the rows: it sizes the rings and bounds the CPU time.
	Period time.Duration
	// Buffer is how long the rings last without being drained; default 10 s.
	Buffer time.Duration
	// Spins says that a body may run for a whole second without sleeping: then
	// RLIMIT_RTTIME isn't set.
	Spins bool
	// Unlocked leaves the memory unlocked.
	Unlocked bool
	// GC leaves the child's garbage collector on, for clients that need it.
	GC bool
	// Files are inherited by the child.
	Files []*os.File
}

// A Child is a running sampler process. Its methods may be called from one
// goroutine only.
type Child struct {
	// Threads are those that the child reported ready.
	Threads []ThreadInfo
	// Rings to read, one for each thread.
	Rings []*Drain

	shared  *shared
	control *os.File
	reports chan report
	exited  chan struct{}
	exit    error
	process *os.Process
	ended   *Ended
	unlock  func()
}

// cpuLimit is RLIMIT_RTTIME for a loop with this period.
func (c *Config) cpuLimit() int64 {
	for _, t := range c.Threads {
		if t.Policy.RealTime() && !c.Spins {
			return int64(3*c.Period + time.Second)
		}
	}
	return 0
}

// Start executes the child and returns when all its threads are ready. It
// waits for the machine's lock first; waiting, when not nil, is told who holds
// it. Errors of the child's own set-up come back with their remedy.
func Start(ctx context.Context, cfg Config, waiting func(holder string)) (*Child, error) {
	if err := rtsched.CheckLimits(len(cfg.Threads)); err != nil {
		return nil, err
	}
	unlock, err := rtsched.LockMachine(ctx, waiting)
	if err != nil {
		return nil, err
	}
	c, err := start(ctx, cfg)
	if err != nil {
		unlock()
		return nil, err
	}
	c.unlock = unlock
	return c, nil
}

func start(ctx context.Context, cfg Config) (*Child, error) {
	buffer := cfg.Buffer
	if buffer == 0 {
		buffer = 10 * time.Second
	}
	fd, s, err := createShared(len(cfg.Threads), cfg.Columns, rowsFor(cfg.Period, buffer))
	if err != nil {
		return nil, err
	}
	memory := os.NewFile(uintptr(fd), "rings")
	defer memory.Close()
	c := &Child{shared: s, reports: make(chan report), exited: make(chan struct{})}
	if err := c.execute(memory, cfg); err != nil {
		s.close()
		return nil, err
	}
	for i := range cfg.Threads {
		c.Rings = append(c.Rings, newDrain(s, i))
	}
	if err := c.awaitReady(ctx); err != nil {
		c.Kill()
		s.close()
		return nil, err
	}
	return c, nil
}

func (c *Child) awaitReady(ctx context.Context) error {
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	select {
	case r, ok := <-c.reports:
		if !ok {
			return c.gone()
		}
		if r.Error != "" {
			return r.err()
		}
		c.Threads = r.Ready
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return errors.New("the sampler was not ready after ten seconds: is a thread of higher priority holding the CPU?")
	}
}

// err makes the child's error the parent's, remedy included.
func (r *report) err() error {
	err := errors.New(r.Error)
	switch {
	case r.Unavailable:
		return remedy.Unavailable(err, r.Hint)
	case r.Hint != "":
		return remedy.Hint(err, r.Hint)
	}
	return err
}

// gone says how a child ended that should not have.
func (c *Child) gone() error {
	<-c.exited
	var exit *exec.ExitError
	if errors.As(c.exit, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			err := fmt.Errorf("the sampler was killed in mid-run by signal %d (%s)", status.Signal(), status.Signal())
			return remedy.Hint(err, "someone or the kernel did this: look for an out-of-memory kill in dmesg")
		}
	}
	return fmt.Errorf("the sampler ended in mid-run: %v", c.exit)
}

// Go lets the threads start: their first sample is due at first, the first one
// after the warm-up at measured; CLOCK_MONOTONIC, ns.
func (c *Child) Go(first, measured int64) {
	c.shared.values[valueFirst], c.shared.values[valueMeasured] = first, measured
	atomic.StoreUint32(&c.shared.words[wordGo], 1)
	sys.FutexWake(&c.shared.words[wordGo], len(c.Threads))
	c.control.Write([]byte("\n"))
}

// Beat tells the child that the parent lives; at least once a second. It
// returns io.EOF when the child has ended by itself, and an error when it
// broke down.
func (c *Child) Beat() error {
	c.Pulse()
	select {
	case r, ok := <-c.reports:
		return c.finish(r, ok)
	default:
		return nil
	}
}

// Pulse tells the child that the parent lives, and nothing else. It may be
// called from any goroutine, until Close.
func (c *Child) Pulse() { atomic.AddUint32(&c.shared.words[wordBeat], 1) }

func (c *Child) finish(r report, ok bool) error {
	if !ok {
		if c.ended != nil {
			return io.EOF
		}
		return c.gone()
	}
	if r.Error != "" {
		return r.err()
	}
	c.ended = &Ended{Threads: r.End, RSSPeak: r.RSSPeak, Mallocs: r.Mallocs}
	for _, t := range r.End {
		if t.Error != "" {
			return remedy.Hint(errors.New(t.Error), t.Hint)
		}
	}
	return io.EOF
}

// stopPatience is longer than any library that a loop calls waits for its server.
const stopPatience = 15 * time.Second

// Stop makes the threads return and waits for the child's last report.
func (c *Child) Stop() error {
	if c.ended != nil {
		return nil
	}
	atomic.StoreUint32(&c.shared.words[wordStop], 1)
	if atomic.LoadUint32(&c.shared.words[wordGo]) == 0 {
		c.Go(0, 0)
	}
	limit := time.NewTimer(stopPatience)
	defer limit.Stop()
	select {
	case r, ok := <-c.reports:
		if err := c.finish(r, ok); err != io.EOF {
			return err
		}
		return nil
	case <-limit.C:
		return fmt.Errorf("the sampler did not stop within %s", stopPatience)
	}
}

// Ended is the child's last report, nil while there is none.
func (c *Child) Ended() *Ended { return c.ended }

// Pid of the child.
func (c *Child) Pid() int { return c.process.Pid }

// Kill ends the child whatever it does, and waits for that.
func (c *Child) Kill() {
	c.control.Close()
	c.process.Kill()
	for range c.reports {
	}
	<-c.exited
}

// Close ends the child and frees the rings, which must not be read any more.
func (c *Child) Close() {
	c.Kill()
	c.shared.close()
	c.unlock()
}
