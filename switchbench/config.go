// Package switchbench measures what it costs to hand the CPU from one thread
// to another, by every mechanism that Linux has for it: the time from the clock
// of the thread that signals to the clock of the thread that runs next.
//
// There are three measurements. A hand-over has a periodic waker and a waiter
// (Xenomai's switch test). A ping-pong has the same two answering each other,
// with no timer in it. A ring passes one token round N threads, each of which
// touches a working set (the method of L. McVoy and C. Staelin, lmbench: Portable
// Tools for Performance Analysis, USENIX 1996).
package switchbench

import (
	"fmt"
	"time"

	"worstcase/host"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/session"
)

// A Measure says what is measured.
type Measure string

// The measures; the zero Measure means HandOver.
const (
	HandOver Measure = "hand-over" // a sample is one switch
	PingPong Measure = "ping-pong" // a sample is a round trip: two switches
	Ring     Measure = "ring"      // a sample is a round divided by its hops
)

// A Case says how the waiter of a hand-over stands to the waker.
type Case string

// The cases; the zero Case means Below.
const (
	Below Case = "below" // runs when the waker sleeps, which is in the figure
	Above Case = "above" // takes the CPU from the waker at once
	Equal Case = "equal" // of the same priority: runs when the waker sleeps
)

// Defaults and bounds of a Config.
const (
	DefaultPeriod   = 100 * time.Microsecond
	DefaultPriority = 99
	MaxPeriod       = time.Second
	MaxThreads      = 64
	MaxWorkingSet   = 256 << 20
)

// A Config says what to measure. The zero value measures the hand-over by a
// futex on the default CPU, the waiter below the waker.
type Config struct {
	Mechanism Mechanism
	Measure   Measure
	Case      Case
	// Processes measures between processes, a thread each, in place of threads
	// of one: a switch then changes the address space as well.
	Processes bool
	// Period of a hand-over.
	Period time.Duration
	// Samples end the run when so many are measured; 0: without limit.
	Samples int64
	// CPUs of the threads, in turn. Default: session.DefaultCPU for all.
	CPUs   []int
	Policy rtsched.Policy
	// Priority of the higher of two threads, of all in a ring.
	Priority int
	// Threads of a ring, default 2; WorkingSet is what each of them touches, in bytes.
	Threads    int
	WorkingSet int
	// Break ends the run at the first sample above it; 0: never.
	Break time.Duration
	// KeepIdle leaves /dev/cpu_dma_latency alone; else DMALatency is held there.
	KeepIdle   bool
	DMALatency time.Duration
	// Unlocked measures with memory that may be paged out.
	Unlocked bool
}

// WithDefaults fills in what is zero, and checks the rest.
func (c Config) WithDefaults() (Config, error) {
	if c.Mechanism == "" {
		c.Mechanism = Futex
	}
	if c.Measure == "" {
		c.Measure = HandOver
	}
	if c.Mechanism == Yield && c.Measure == HandOver {
		c.Measure, c.Threads = Ring, 2 // nothing wakes a thread that only yields
	}
	if c.Case == "" {
		c.Case = Below
	}
	if c.Period == 0 {
		c.Period = DefaultPeriod
	}
	if c.Mechanism == Deadline {
		c.Policy, c.CPUs = rtsched.Deadline, []int{-1}
	}
	if c.Policy == "" {
		c.Policy = rtsched.FIFO
	}
	if c.Priority == 0 && c.Policy.Fixed() {
		c.Priority = DefaultPriority
	}
	if c.Measure != Ring || c.Threads == 0 {
		c.Threads = 2
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
	if _, err := ParseMechanism(string(c.Mechanism)); err != nil {
		return err
	}
	switch {
	case c.Period < time.Microsecond || c.Period > MaxPeriod:
		return fmt.Errorf("period %s is not within 1 us and %s", c.Period, MaxPeriod)
	case c.Policy.Fixed() && (c.Priority < 1 || c.Priority > 99):
		return fmt.Errorf("priority %d is not within 1 and 99", c.Priority)
	case c.Policy.Fixed() && c.Priority == 1 && c.Measure == HandOver && c.Case != Equal:
		return fmt.Errorf("priority 1 leaves none for the other thread, which runs one below: at least 2, or a waiter of equal priority")
	case c.Samples < 0:
		return fmt.Errorf("%d samples", c.Samples)
	case c.Policy == rtsched.Deadline && c.Mechanism != Deadline:
		return fmt.Errorf("SCHED_DEADLINE is the mechanism %s of its own", Deadline)
	case c.Mechanism == Deadline && c.Measure != HandOver:
		return fmt.Errorf("mechanism %s needs the timer of a hand-over: without it the threads would be throttled", Deadline)
	case c.Threads < 1 || c.Threads > MaxThreads:
		return fmt.Errorf("%d threads are not within 1 and %d", c.Threads, MaxThreads)
	case c.Threads == 1 && (c.Mechanism == PIFutex || c.Mechanism == Yield):
		return fmt.Errorf("a thread alone can't wait for itself by %s", c.Mechanism)
	case c.WorkingSet < 0 || c.WorkingSet > MaxWorkingSet:
		return fmt.Errorf("working set of %d bytes is not within 0 and %d", c.WorkingSet, MaxWorkingSet)
	case c.Mechanism == Yield && len(c.CPUs) > 1:
		return fmt.Errorf("sched_yield passes one CPU on: name one")
	}
	return nil
}

// Space is what parts the threads: the label of the series.
func (c Config) Space() string {
	if c.Processes {
		return "processes"
	}
	return "threads"
}

// Interval says in words what a sample is the time of.
func (c Config) Interval() string {
	switch {
	case c.Measure == PingPong:
		return "from the clock before signalling to the clock after the answer, two switches"
	case c.Measure == Ring:
		return fmt.Sprintf("one hop of %d threads in a ring: signal, switch, touch of the working set", c.Threads)
	case c.Policy.Fixed() && c.Case == Above:
		return "from the waker's clock before it signals to the waiter's clock, which takes the CPU at once"
	}
	return "from the waker's clock before it signals to the waiter's clock, the waker's way to sleep included where both share a CPU"
}

// SamplePeriod is the time between samples, 0 where no timer sets one.
func (c Config) SamplePeriod() time.Duration {
	if c.Measure == HandOver {
		return c.Period
	}
	return 0
}

// Record is the configuration as the run log keeps it.
func (c Config) Record() map[string]any {
	m := map[string]any{
		results.ConfigMechanism: string(c.Mechanism),
		results.ConfigMeasure:   string(c.Measure),
		results.ConfigSpace:     c.Space(),
		results.ConfigPolicy:    c.Policy.String(),
		"interval":              c.Interval(),
		"memory_locked":         !c.Unlocked,
	}
	if c.Mechanism != Deadline {
		m["cpus"] = host.FormatCPUList(c.CPUs)
	}
	if c.Measure == HandOver {
		m[results.ConfigPeriod] = int64(c.Period)
	}
	if c.Measure == HandOver && c.Policy.Fixed() {
		m[results.ConfigCase] = string(c.Case)
	}
	if c.Measure == Ring {
		m[results.ConfigThreads] = c.Threads
		m[results.ConfigWorkingSet] = c.WorkingSet
	}
	if c.Policy.Fixed() {
		m[results.ConfigPriority] = c.Priority
	}
	if !c.KeepIdle {
		m["dma_latency_ns"] = int64(c.DMALatency)
	}
	if c.Samples > 0 {
		m["samples"] = c.Samples
	}
	if c.Break > 0 {
		m["break_ns"] = int64(c.Break)
	}
	return m
}

// thread is the i-th of the measuring threads: of a hand-over the waker, then
// the waiter.
func (c Config) thread(i int) rtsched.Thread {
	t := rtsched.Thread{Name: fmt.Sprintf("switch-%d", i), Policy: c.Policy, CPU: c.CPUs[i%len(c.CPUs)]}
	if c.Policy.Fixed() {
		t.Priority = c.Priority
		if lower := (c.Case == Above) == (i == 0); c.Measure == HandOver && c.Case != Equal && lower {
			t.Priority--
		}
	}
	if c.Policy == rtsched.Deadline {
		t.Period, t.Runtime = c.Period, max(c.Period/4, rtsched.MinRuntime)
	}
	return t
}
