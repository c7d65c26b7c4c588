// Package latency measures how late periodic threads wake up: for each CPU a
// thread that waits for absolute dates, one period apart, and compares the
// clock with the date when it runs.
package latency

import (
	"fmt"
	"os"
	"slices"
	"time"

	"worstcase/host"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/session"
)

// How the threads of several CPUs lie to each other: on the same dates, or
// spread over the period.
const (
	AlignSpread = "spread"
	AlignSame   = "same"
)

// Defaults of a Config.
const (
	DefaultPeriod   = 100 * time.Microsecond
	DefaultPriority = 99
	MaxPeriod       = time.Second
)

// AnyCPU stands in a Config for a thread that runs wherever the kernel likes.
const AnyCPU = -1

// A Config says what to measure. The zero value measures the default CPU at
// the default period and priority with clock_nanosleep.
type Config struct {
	Period time.Duration
	// CPUs to measure, a thread and a series each. Default: session.DefaultCPU; at
	// SCHED_DEADLINE AnyCPU, since such threads may not stay on one.
	CPUs     []int
	Policy   rtsched.Policy
	Priority int
	Timer    rtsched.Timer
	// Align is AlignSpread (default) or AlignSame.
	Align string
	// Break ends the run at the first sample above it; 0: never.
	Break time.Duration
	// AllowThrottle lets busy polling take all of a CPU's time.
	AllowThrottle bool
	// Idle leaves /dev/cpu_dma_latency alone; else DMALatency is held there.
	KeepIdle   bool
	DMALatency time.Duration
	// Unlocked measures with memory that may be paged out.
	Unlocked bool
	// Freeze is the kernel's trace_marker and tracing_on, open for writing: at each
	// new maximum the measuring thread writes a marker into the trace and stops it.
	Freeze []*os.File
	// Buffer is how long the rings last without being read; default 10 s.
	Buffer time.Duration
}

// WithDefaults fills in what is zero, and checks the rest.
func (c Config) WithDefaults() (Config, error) {
	if c.Period == 0 {
		c.Period = DefaultPeriod
	}
	if c.Policy == "" {
		c.Policy = rtsched.FIFO
	}
	if c.Priority == 0 && c.Policy.Fixed() {
		c.Priority = DefaultPriority
	}
	if c.Timer == "" {
		c.Timer = rtsched.Nanosleep
	}
	if c.Align == "" {
		c.Align = AlignSpread
	}
	if len(c.CPUs) == 0 && c.Policy == rtsched.Deadline {
		c.CPUs = []int{AnyCPU}
	}
	if len(c.CPUs) == 0 {
		cpu, err := session.DefaultCPU()
		if err != nil {
			return c, err
		}
		c.CPUs = []int{cpu}
	}
	return c, c.check()
}

func (c Config) check() error {
	switch {
	case c.Period < 0 || c.Period > MaxPeriod:
		return fmt.Errorf("period %s is not within 1 us and %s", c.Period, MaxPeriod)
	case c.Policy.Fixed() && (c.Priority < 1 || c.Priority > 99):
		return fmt.Errorf("priority %d is not within 1 and 99", c.Priority)
	case c.Policy == rtsched.Deadline && c.Timer == rtsched.Busy:
		return fmt.Errorf("a SCHED_DEADLINE thread would be throttled while it polls: use another timer or policy")
	}
	return nil
}

// Record is the configuration as the run log keeps it.
func (c Config) Record() map[string]any {
	m := map[string]any{
		results.ConfigPeriod: int64(c.Period),
		results.ConfigMode:   results.ModeUser,
		results.ConfigPolicy: c.Policy.String(),
		results.ConfigTimer:  string(c.Timer),
		"cpus":               formatCPUs(c.CPUs),
		"memory_locked":      !c.Unlocked,
	}
	if c.Policy.Fixed() {
		m[results.ConfigPriority] = c.Priority
	}
	if len(c.CPUs) > 1 {
		m["align"] = c.Align
	}
	if !c.KeepIdle {
		m["dma_latency_ns"] = int64(c.DMALatency)
	}
	if c.Break > 0 {
		m["break_ns"] = int64(c.Break)
	}
	if c.AllowThrottle {
		m["allow_throttle"] = true
	}
	return m
}

func formatCPUs(cpus []int) string {
	if slices.Contains(cpus, AnyCPU) {
		return "any"
	}
	return host.FormatCPUList(cpus)
}

// offset is how much later than the first of n threads the i-th one begins.
func (c Config) offset(i, n int) int64 {
	if c.Align != AlignSpread {
		return 0
	}
	return int64(c.Period) * int64(i) / int64(n)
}

// thread is the measuring thread of the i-th CPU.
func (c Config) thread(i int) rtsched.Thread {
	name := "latency-" + formatCPUs(c.CPUs[i:i+1])
	t := rtsched.Thread{Name: name, Policy: c.Policy, Priority: c.Priority, CPU: c.CPUs[i]}
	if c.Policy == rtsched.Deadline {
		t.Period, t.Runtime = c.Period, max(c.Period/10, rtsched.MinRuntime)
	}
	return t
}
