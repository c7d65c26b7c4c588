package klatency

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/tracefs"
	"worstcase/results"
	"worstcase/results/foreign"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
)

// MinTimerlatPeriod is the shortest period that the timerlat tracer takes
// (kernel/trace/trace_osnoise.c).
const MinTimerlatPeriod = 100 * time.Microsecond

// The contexts in which timerlat sees how late a timer has made it: its
// interrupt handler, its thread in the kernel, and the thread when it has been
// in user space and is back (Linux 6.5).
const (
	ContextIRQ    = "irq"
	ContextThread = "thread"
	ContextUser   = "user"
)

// A TimerlatConfig says what to measure with the timerlat tracer.
type TimerlatConfig struct {
	// Contexts are what to measure, a series each on every CPU. ContextUser makes
	// the threads of all of them threads of user space.
	Contexts []string
	Period   time.Duration
	CPUs     []int
	Priority int
	// KeepIdle leaves /dev/cpu_dma_latency alone; else DMALatency is held there.
	KeepIdle   bool
	DMALatency time.Duration
	// Break ends the run at the first sample above it, and the trace with it; 0:
	// never.
	Break time.Duration
	// Stack is from which latency of the thread on the kernel prints what ran when
	// the timer's interrupt came; 0: never. The threads of ContextUser have stacks
	// at a Break only.
	Stack time.Duration
	// Stacks is how many of them to record, the worst ones.
	Stacks int
}

// A Timerlat is the kernel's own measurement (Documentation/trace/timerlat-tracer.rst):
// a thread and a timer on each CPU. It needs CONFIG_TIMERLAT_TRACER, Linux 5.17
// for an instance of our own, and root. It is a session.Source, and its wake-ups
// can be traced where it has one context.
type Timerlat struct {
	cfg      TimerlatConfig
	fs       *tracefs.FS
	dir      string
	pipe     int // trace_pipe, read without waiting; -1 when closed
	idle     *os.File
	child    *sampler.Child // of ContextUser, else nil
	unlock   func()
	warn     func(string)
	lines    lines
	threads  []sampler.ThreadInfo
	last     []foreign.TimerlatSample // of each series
	stacks   stacks
	measured int64
	armed    bool
	stopped  bool
	broken   bool
	watch    func(series int, due, late, missed int64)
}

// NewTimerlat measures with the timerlat tracer. warn is told, a line each,
// what makes the measurement worth less.
func NewTimerlat(cfg TimerlatConfig, warn func(string)) *Timerlat {
	return &Timerlat{
		cfg: cfg, pipe: -1, warn: warn, last: make([]foreign.TimerlatSample, len(cfg.CPUs)*len(cfg.Contexts)), stacks: newStacks(cfg.CPUs),
	}
}

// Series is one for each CPU and context.
func (s *Timerlat) Series() []results.SeriesInfo {
	var infos []results.SeriesInfo
	for _, cpu := range s.cfg.CPUs {
		for _, c := range s.cfg.Contexts {
			labels := results.Labels{"cpu": strconv.Itoa(cpu)}
			if len(s.cfg.Contexts) > 1 {
				labels["context"] = c
			}
			infos = append(infos, results.SeriesInfo{ID: len(infos), Labels: labels})
		}
	}
	return infos
}

// series is that of a CPU's context, by its index in Series; below 0 where it
// isn't measured.
func (s *Timerlat) series(cpu int, context string) int {
	i, j := slices.Index(s.cfg.CPUs, cpu), slices.Index(s.cfg.Contexts, context)
	if i < 0 || j < 0 {
		return -1
	}
	return i*len(s.cfg.Contexts) + j
}

// Open sets the tracer up and starts its threads.
func (s *Timerlat) Open(ctx context.Context) error {
	if s.cfg.Period < MinTimerlatPeriod {
		return remedy.Unavailable(fmt.Errorf("measure with timerlat at a period of %s: its shortest is %s", s.cfg.Period, MinTimerlatPeriod),
			"use --backend ebpf, which takes any period")
	}
	var err error
	s.unlock, err = rtsched.LockMachine(ctx, func(holder string) {
		s.warn("waiting for another measurement on this machine to end (" + holder + ")")
	})
	if err != nil {
		return err
	}
	if s.fs, err = tracefs.Open(); err != nil {
		s.unlock()
		return err
	}
	err = s.start(ctx)
	if err != nil {
		err = errors.Join(err, s.close())
	}
	return err
}

func (s *Timerlat) start(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	var err error
	if !s.cfg.KeepIdle {
		if s.idle, err = rtsched.HoldDMALatency(s.cfg.DMALatency); err != nil {
			s.warn(err.Error() + ": CPUs may fall into deep idle states")
		}
	}
	if err := s.set(); err != nil {
		return err
	}
	if s.user() {
		err = s.startThreads(ctx)
	} else {
		err = s.findThreads()
	}
	if err != nil {
		return err
	}
	// It must be opened after the tracer has been chosen.
	s.pipe, err = unix.Open(s.fs.Path(s.dir+"/trace_pipe"), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	return err
}

// Threads are the tracer's threads, one for each CPU.
func (s *Timerlat) Threads() []sampler.ThreadInfo { return s.threads }

// Dates are unknown: the tracer chooses its own.
func (s *Timerlat) Dates(int64) []int64 { return make([]int64, len(s.cfg.CPUs)) }

// Watch makes Drain call f with every sample.
func (s *Timerlat) Watch(f func(series int, due, late, missed int64)) { s.watch = f }

// Start lets the threads of user space go. Those of the kernel run already, and
// what came before is warm-up.
func (s *Timerlat) Start(first, measured int64) error {
	s.measured = measured
	if s.child != nil {
		s.child.Go(first, measured)
	}
	return nil
}

// Drain reads what the tracer has said.
func (s *Timerlat) Drain(rec *session.Recorder) error {
	var ended error
	if s.child != nil {
		if ended = s.child.Beat(); errors.Is(ended, io.EOF) {
			ended = nil
		}
	}
	err := s.arm()
	if err != nil {
		return err
	}
	err = s.lines.read(s.pipe, s.stopped, func(line []byte) { s.line(rec, line) })
	switch {
	case err != nil:
		return fmt.Errorf("read the timerlat trace: %w", err)
	case ended != nil:
		return ended
	case s.stopped:
		for _, spike := range s.Spikes() {
			rec.Spike(&spike)
		}
	case s.broken:
		return session.ErrBreak
	}
	return nil
}

// line takes a line of the trace.
func (s *Timerlat) line(rec *session.Recorder, line []byte) {
	if s.stacks.line(line) || s.broken {
		return
	}
	sample, ok := foreign.ParseTimerlat(line)
	if !ok {
		return
	}
	if i := slices.Index(s.cfg.CPUs, sample.CPU); i >= 0 {
		s.stacks.sample(i, &sample, rec.Measured(sample.Due()))
	}
	if series := s.series(sample.CPU, sample.Context); series >= 0 {
		s.record(rec, series, &sample)
	}
}

// record takes a sample. Periods that passed between two samples were missed,
// where the tracer numbered none in between; else the trace's buffer was full.
func (s *Timerlat) record(rec *session.Recorder, series int, t *foreign.TimerlatSample) {
	last, period := &s.last[series], int64(s.cfg.Period)
	if last.Number > 0 {
		gap := (t.Due()-last.Due()+period/2)/period - 1
		lost := min(t.Number-last.Number-1, gap, max(0, t.Due()-s.measured)/period) // others were in the warm-up
		rec.Lost(series, t.Due(), lost)
		rec.Missed(series, last.Due(), gap-lost)
	}
	if s.watch != nil {
		s.watch(series, t.Due(), t.Latency, 0)
	}
	rec.Sample(series, t.Due(), t.Latency, 0)
	*last = *t
	s.broken = s.cfg.Break > 0 && t.Latency > int64(s.cfg.Break) && rec.Measured(t.Due())
}

// Stop stops the trace, after the threads of user space: the tracer would kill
// them.
func (s *Timerlat) Stop() error {
	s.stopped = true
	var err error
	if s.child != nil {
		err = s.child.Stop()
	}
	return errors.Join(err, s.fs.Set(s.dir+"/tracing_on", "0"))
}

// Close ends the tracer's threads and puts everything back.
func (s *Timerlat) Close() (results.Figures, error) { return nil, s.close() }

func (s *Timerlat) close() error {
	if s.child != nil {
		s.child.Close()
	}
	if s.pipe >= 0 {
		unix.Close(s.pipe)
	}
	err := s.fs.Close()
	if s.idle != nil {
		err = errors.Join(err, s.idle.Close())
	}
	s.unlock()
	return err
}
