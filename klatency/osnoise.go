package klatency

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/host"
	"worstcase/internal/remedy"
	"worstcase/internal/sys"
	"worstcase/internal/tracefs"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/session"
)

// An Osnoise measures the noise of CPUs with the kernel's own tracer
// (Documentation/trace/osnoise-tracer.rst), whose threads poll in the kernel. It
// needs CONFIG_OSNOISE_TRACER, Linux 5.17 for an instance of our own, and root.
// It is a session.Source, like a Noise.
type Osnoise struct {
	cfg    NoiseConfig
	warn   func(string)
	fs     *tracefs.FS
	dir    string
	pipe   int
	lines  lines
	begin  int64
	end    int64 // math.MaxInt64 until it is known
	found  []NoiseFigures
	takers map[int]*Taker
	unlock func()
}

// NewOsnoise measures with the configuration.
func NewOsnoise(cfg NoiseConfig, warn func(string)) *Osnoise {
	return &Osnoise{cfg: cfg, warn: warn, pipe: -1, end: math.MaxInt64, found: make([]NoiseFigures, len(cfg.CPUs)), takers: map[int]*Taker{}}
}

// HasOsnoise tells whether this kernel has the tracer and lets us use it.
func HasOsnoise() bool {
	fs, err := tracefs.Open()
	if err != nil {
		return false
	}
	defer fs.Close()
	return hasTracer(fs, "osnoise")
}

func hasTracer(fs *tracefs.FS, name string) bool {
	tracers, err := fs.Read("available_tracers")
	return err == nil && slices.Contains(strings.Fields(tracers), name)
}

// Series is one for each CPU.
func (s *Osnoise) Series() []results.SeriesInfo { return noiseSeries(s.cfg.CPUs) }

// Open sets the tracer up; its threads run at once.
func (s *Osnoise) Open(ctx context.Context) error {
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
	if err := s.start(); err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

func (s *Osnoise) start() error {
	if !hasTracer(s.fs, "osnoise") {
		return remedy.Unavailable(errors.New("this kernel has no osnoise tracer"),
			"it needs CONFIG_OSNOISE_TRACER=y; use --backend ebpf, which needs no configuration but BTF")
	}
	var err error
	if s.dir, err = s.fs.Instance(); err != nil {
		return err
	}
	if err := setAll(s.fs, []knob{
		{"osnoise/cpus", host.FormatCPUList(s.cfg.CPUs)},
		{"osnoise/stop_tracing_us", "0"},
		{"osnoise/stop_tracing_total_us", "0"},
		{"tracing_thresh", strconv.FormatInt(max(1, s.cfg.Threshold.Microseconds()), 10)},
		{s.dir + "/trace_clock", "mono"},
		{s.dir + "/buffer_size_kb", "4096"},
		{s.dir + "/events/osnoise/enable", "1"},
		{s.dir + "/tracing_on", "1"},
		{s.dir + "/current_tracer", "osnoise"},
	}); err != nil {
		return err
	}
	// It must be opened after the tracer has been chosen.
	s.pipe, err = unix.Open(s.fs.Path(s.dir+"/trace_pipe"), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	return err
}

// Start begins the figures with the measured time.
func (s *Osnoise) Start(_, measured int64) error {
	s.begin = measured
	return nil
}

// Drain reads what the tracer has said.
func (s *Osnoise) Drain(rec *session.Recorder) error {
	err := s.lines.read(s.pipe, s.end < math.MaxInt64, func(line []byte) {
		e, ok := parseOsnoise(string(line))
		if i := slices.Index(s.cfg.CPUs, e.cpu); ok && i >= 0 && e.start >= s.begin && e.start < s.end {
			s.record(rec, i, &e)
		}
	})
	for i := range s.found {
		s.found[i].Runtime = max(0, min(sys.Nanotime(), s.end)-s.begin)
	}
	if err != nil {
		return fmt.Errorf("read the osnoise trace: %w", err)
	}
	return nil
}

func (s *Osnoise) record(rec *session.Recorder, i int, e *osnoiseEvent) {
	f := &s.found[i]
	add := func(source *NoiseSource) {
		source.Count++
		source.NS += e.duration
	}
	switch e.name {
	case "sample_threshold":
		rec.Sample(i, e.start, e.duration, 0)
		f.Total += e.duration
		f.MaxGap = max(f.MaxGap, e.duration)
		if e.interferences == 0 {
			add(&f.Hardware)
		}
	case "nmi_noise":
		add(&f.NMI)
	case "irq_noise":
		add(&f.IRQ)
	case "softirq_noise":
		add(&f.Softirq)
	case "thread_noise":
		add(&f.Thread)
		t := s.takers[e.id]
		if t == nil {
			t = &Taker{PID: e.id, Name: e.what}
			s.takers[e.id] = t
		}
		add(&t.NoiseSource)
	}
}

// Stop stops the trace, which takes the kernel a while.
func (s *Osnoise) Stop() error {
	s.end = sys.Nanotime()
	return s.fs.Set(s.dir+"/tracing_on", "0")
}

// Figures are those of each CPU.
func (s *Osnoise) Figures() []NoiseFigures { return s.found }

// Takers are the threads that took time, those that took most first.
func (s *Osnoise) Takers() []Taker {
	var all []Taker
	for _, t := range s.takers {
		all = append(all, *t)
	}
	sortTakers(all)
	return all
}

// Close ends the tracer's threads and puts everything back.
func (s *Osnoise) Close() (results.Figures, error) {
	return noiseRecord(s.cfg.CPUs, s.found), s.close()
}

func (s *Osnoise) close() error {
	if s.pipe >= 0 {
		unix.Close(s.pipe)
	}
	err := s.fs.Close()
	s.unlock()
	return err
}
