package klatency

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/host"
	"worstcase/internal/remedy"
	"worstcase/internal/tracefs"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
)

// MinTimerlatPeriod is the shortest period that the timerlat tracer takes
// (kernel/trace/trace_osnoise.c).
const MinTimerlatPeriod = 100 * time.Microsecond

// A TimerlatConfig says what to measure with the timerlat tracer.
type TimerlatConfig struct {
	// Mode is ModeHandler, to the timer's handler, or ModeKernel, to the thread.
	Mode     string
	Period   time.Duration
	CPUs     []int
	Priority int
	// KeepIdle leaves /dev/cpu_dma_latency alone; else DMALatency is held there.
	KeepIdle   bool
	DMALatency time.Duration
}

// A Timerlat is the kernel's own measurement (Documentation/trace/timerlat-tracer.rst):
// a kernel thread and a timer on each CPU. It needs CONFIG_TIMERLAT_TRACER,
// Linux 5.17 for an instance of our own, and root. It is a session.Source, and
// its wake-ups can be traced.
type Timerlat struct {
	cfg     TimerlatConfig
	fs      *tracefs.FS
	dir     string
	pipe    int // trace_pipe, read without waiting; -1 when closed
	idle    *os.File
	unlock  func()
	warn    func(string)
	lines   lines
	threads []sampler.ThreadInfo
	last    []timerlatSample
	watch   func(series int, due, late, missed int64)
}

// NewTimerlat measures with the timerlat tracer. warn is told, a line each,
// what makes the measurement worth less.
func NewTimerlat(cfg TimerlatConfig, warn func(string)) *Timerlat {
	return &Timerlat{cfg: cfg, pipe: -1, warn: warn, last: make([]timerlatSample, len(cfg.CPUs))}
}

// Series is one for each CPU.
func (s *Timerlat) Series() []results.SeriesInfo {
	infos := make([]results.SeriesInfo, len(s.cfg.CPUs))
	for i, cpu := range s.cfg.CPUs {
		infos[i] = results.SeriesInfo{ID: i, Labels: results.Labels{"cpu": strconv.Itoa(cpu)}}
	}
	return infos
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
	err = s.start()
	if err != nil {
		err = errors.Join(err, s.close())
	}
	return err
}

func (s *Timerlat) start() error {
	if !hasTracer(s.fs, "timerlat") {
		return remedy.Unavailable(errors.New("this kernel has no timerlat tracer"),
			"it needs CONFIG_TIMERLAT_TRACER=y; use --backend ebpf, which needs no configuration but BTF")
	}
	var err error
	if !s.cfg.KeepIdle {
		if s.idle, err = rtsched.HoldDMALatency(s.cfg.DMALatency); err != nil {
			s.warn(err.Error() + ": CPUs may fall into deep idle states")
		}
	}
	if s.dir, err = s.fs.Instance(); err != nil {
		return err
	}
	for _, set := range []struct{ name, value string }{
		{"osnoise/cpus", host.FormatCPUList(s.cfg.CPUs)},
		{"osnoise/timerlat_period_us", strconv.FormatInt(s.cfg.Period.Microseconds(), 10)},
		{"osnoise/stop_tracing_us", "0"},
		{"osnoise/stop_tracing_total_us", "0"},
		{s.dir + "/trace_clock", "mono"},
		{s.dir + "/buffer_size_kb", "2048"},
		{s.dir + "/tracing_on", "1"},
		{s.dir + "/current_tracer", "timerlat"},
	} {
		if err := s.fs.Set(set.name, set.value); err != nil {
			return err
		}
	}
	if err := s.findThreads(); err != nil {
		return err
	}
	// It must be opened after the tracer has been chosen.
	s.pipe, err = unix.Open(s.fs.Path(s.dir+"/trace_pipe"), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	return err
}

// findThreads finds the tracer's threads and gives them their priority.
func (s *Timerlat) findThreads() error {
	s.threads = make([]sampler.ThreadInfo, len(s.cfg.CPUs))
	names, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, entry := range names {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		var cpu int
		if n, _ := fmt.Sscanf(string(comm), "timerlat/%d\n", &cpu); n != 1 {
			continue
		}
		if i := slices.Index(s.cfg.CPUs, cpu); i >= 0 {
			s.threads[i] = sampler.ThreadInfo{TID: pid, CPU: cpu, Policy: "SCHED_FIFO", Priority: s.cfg.Priority}
		}
	}
	for i, t := range s.threads {
		if t.TID == 0 {
			return fmt.Errorf("find the timerlat thread of cpu %d: no such thread", s.cfg.CPUs[i])
		}
		attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(s.cfg.Priority)}
		if err := unix.SchedSetAttr(t.TID, attr, 0); err != nil {
			return fmt.Errorf("give the timerlat thread of cpu %d priority %d: %w", t.CPU, s.cfg.Priority, err)
		}
	}
	return nil
}

// Threads are the tracer's threads.
func (s *Timerlat) Threads() []sampler.ThreadInfo { return s.threads }

// Dates are unknown: the tracer chooses its own.
func (s *Timerlat) Dates(int64) []int64 { return make([]int64, len(s.cfg.CPUs)) }

// Watch makes Drain call f with every sample.
func (s *Timerlat) Watch(f func(series int, due, late, missed int64)) { s.watch = f }

// Start does nothing: the threads run already, and what came before is warm-up.
func (s *Timerlat) Start(int64, int64) error { return nil }

// Drain reads what the tracer has said.
func (s *Timerlat) Drain(rec *session.Recorder) error {
	want := "thread"
	if s.cfg.Mode == results.ModeHandler {
		want = "irq"
	}
	err := s.lines.read(s.pipe, func(line string) {
		sample, ok := parseTimerlat(line)
		if i := slices.Index(s.cfg.CPUs, sample.cpu); ok && i >= 0 && sample.context == want {
			s.record(rec, i, sample)
		}
	})
	if err != nil {
		return fmt.Errorf("read the timerlat trace: %w", err)
	}
	return nil
}

// record takes a sample. Periods that passed between two samples were missed,
// where the tracer numbered none in between; else the trace's buffer was full.
func (s *Timerlat) record(rec *session.Recorder, series int, t timerlatSample) {
	last, period := &s.last[series], int64(s.cfg.Period)
	if last.number > 0 {
		gap := (t.due()-last.due()+period/2)/period - 1
		lost := min(int64(t.number-last.number-1), gap)
		rec.Lost(series, t.due(), lost)
		rec.Overruns(series, t.due(), gap-lost)
	}
	if s.watch != nil {
		s.watch(series, t.due(), t.latency, 0)
	}
	rec.Sample(series, t.due(), t.latency, 0)
	*last = t
}

// Stop stops the trace.
func (s *Timerlat) Stop() error { return s.fs.Set(s.dir+"/tracing_on", "0") }

// Close ends the tracer's threads and puts everything back.
func (s *Timerlat) Close() (results.Figures, error) { return nil, s.close() }

func (s *Timerlat) close() error {
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
