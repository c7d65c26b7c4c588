package klatency

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/host"
	"worstcase/internal/remedy"
	"worstcase/internal/sys"
	"worstcase/internal/tracefs"
)

// check tells what of the configuration this kernel has not.
func (s *Timerlat) check() error {
	switch {
	case !hasTracer(s.fs, "timerlat"):
		return remedy.Unavailable(errors.New("this kernel has no timerlat tracer"),
			"it needs CONFIG_TIMERLAT_TRACER=y; use --backend ebpf, which needs no configuration but BTF")
	case s.user() && !s.fs.Has("osnoise/per_cpu"):
		return remedy.Unavailable(fmt.Errorf("timerlat has no threads of user space in %s", release()),
			"they need Linux 6.5; measure the handler and the kernel's thread: -t 2,1")
	case s.cfg.Stack > 0 && !s.fs.Has("osnoise/print_stack"):
		return remedy.Unavailable(errors.New("timerlat prints no stacks here"), "it needs CONFIG_STACKTRACE=y; measure without --stack")
	}
	return nil
}

// set sets the tracer's knobs, the tracer itself last.
func (s *Timerlat) set() error {
	var err error
	if s.dir, err = s.fs.Instance(); err != nil {
		return err
	}
	if s.fs.Has("osnoise/options") {
		option := "OSNOISE_WORKLOAD"
		if s.user() {
			option = "NO_OSNOISE_WORKLOAD"
		}
		if err := s.fs.SetOption("osnoise/options", option); err != nil {
			return err
		}
	}
	if s.fs.Has("osnoise/print_stack") { // a matter of configuration
		if err := s.fs.Set("osnoise/print_stack", microseconds(s.cfg.Stack)); err != nil {
			return err
		}
	}
	return setAll(s.fs, []knob{
		{"osnoise/cpus", host.FormatCPUList(s.cfg.CPUs)},
		{"osnoise/timerlat_period_us", strconv.FormatInt(s.cfg.Period.Microseconds(), 10)},
		{"osnoise/stop_tracing_us", "0"},
		{"osnoise/stop_tracing_total_us", "0"},
		{s.dir + "/trace_clock", "mono"},
		{s.dir + "/buffer_size_kb", "2048"},
		{s.dir + "/tracing_on", "1"},
		{s.dir + "/current_tracer", "timerlat"},
	})
}

// A knob is a setting of the tracer.
type knob struct{ name, value string }

// setAll sets knobs in their order.
func setAll(fs *tracefs.FS, knobs []knob) error {
	for _, k := range knobs {
		err := fs.Set(k.name, k.value)
		if errors.Is(err, unix.EBUSY) {
			return remedy.Hint(err, "a kernel runs osnoise or timerlat, not both: another program has the other one, or an instance in tracefs")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// microseconds writes d as the tracer's knobs take it, rounded up.
func microseconds(d time.Duration) string {
	return strconv.FormatInt((d + time.Microsecond - 1).Microseconds(), 10)
}

// arm makes the tracer itself stop at a break, so that the trace ends there. It
// would stop in the warm-up, too.
func (s *Timerlat) arm() error {
	if s.cfg.Break == 0 || s.armed || sys.Nanotime() < s.measured {
		return nil
	}
	s.armed = true
	for _, c := range s.cfg.Contexts {
		knob := "osnoise/stop_tracing_total_us"
		if c == ContextIRQ {
			knob = "osnoise/stop_tracing_us"
		}
		if err := s.fs.Set(knob, microseconds(s.cfg.Break)); err != nil {
			return err
		}
	}
	return nil
}
