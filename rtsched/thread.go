// Package rtsched makes the calling OS thread a real-time one and lets it wait
// for periodic deadlines: policies, priorities, affinity, timers, locked
// memory, and the machine-wide lock that keeps two measurements apart.
package rtsched

import (
	"fmt"
	"math/bits"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A Policy is a scheduling policy of sched(7).
type Policy string

// The policies; the zero Policy means FIFO.
const (
	FIFO     Policy = "fifo"
	RR       Policy = "rr"
	Deadline Policy = "deadline"
	Other    Policy = "other"
)

// String returns the kernel's name, such as SCHED_FIFO.
func (p Policy) String() string {
	switch p {
	case "", FIFO:
		return "SCHED_FIFO"
	case RR:
		return "SCHED_RR"
	case Deadline:
		return "SCHED_DEADLINE"
	}
	return "SCHED_OTHER"
}

// ParsePolicy takes a name such as fifo or SCHED_FIFO.
func ParsePolicy(s string) (Policy, error) {
	for _, p := range []Policy{FIFO, RR, Deadline, Other} {
		if s == string(p) || s == p.String() {
			return p, nil
		}
	}
	return "", fmt.Errorf("unknown policy %q (fifo, rr, deadline or other)", s)
}

// RealTime tells whether threads of this policy run before all ordinary ones.
func (p Policy) RealTime() bool { return p != Other }

// Fixed tells whether the policy has priorities 1 to 99.
func (p Policy) Fixed() bool { return p == "" || p == FIFO || p == RR }

// A Thread says how a thread shall be scheduled.
type Thread struct {
	Name     string `json:"name,omitempty"`
	Policy   Policy `json:"policy,omitempty"`
	Priority int    `json:"priority,omitempty"`
	// CPU to run on; negative: any.
	CPU int `json:"cpu"`
	// Period, and Runtime within it, of a SCHED_DEADLINE thread.
	Period  time.Duration `json:"period_ns,omitempty"`
	Runtime time.Duration `json:"runtime_ns,omitempty"`
}

// Apply turns the calling thread, which the caller has locked to its goroutine,
// into t: affinity, then all signals blocked, then the policy, so that no
// signal and no migration meets a real-time thread half made. Threads and
// processes that it makes later start as ordinary ones (RESET_ON_FORK). The
// caller must never unlock: let the goroutine return so that the thread ends.
//
// It needs CAP_SYS_NICE, or RLIMIT_RTPRIO of at least the priority, for all but
// SCHED_OTHER. A refusal carries a remedy and is a remedy.ErrUnavailable.
func (t Thread) Apply() error {
	if t.Name != "" {
		if err := sys.SetThreadName(t.Name); err != nil {
			return fmt.Errorf("name thread %s: %w", t.Name, err)
		}
	}
	if t.CPU >= 0 {
		var set unix.CPUSet
		set.Set(t.CPU)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			return fmt.Errorf("set affinity to cpu %d: %w", t.CPU, err)
		}
	}
	if t.CPU < 0 && t.Policy == Deadline {
		if err := allCPUs(); err != nil {
			return err
		}
	}
	if err := sys.BlockSignals(); err != nil {
		return fmt.Errorf("block signals: %w", err)
	}
	if err := unix.SchedSetAttr(0, t.attr(), 0); err != nil {
		return t.explain(err)
	}
	return t.verify()
}

// allCPUs lets the calling thread run on all CPUs that its cpuset has, which
// SCHED_DEADLINE wants (Documentation/scheduler/sched-deadline.rst, 5.1).
func allCPUs() error {
	var set unix.CPUSet
	for cpu := range len(set) * bits.UintSize {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("set affinity to all cpus: %w", err)
	}
	return nil
}

func (t Thread) attr() *unix.SchedAttr {
	a := &unix.SchedAttr{Flags: unix.SCHED_FLAG_RESET_ON_FORK}
	switch {
	case t.Policy.Fixed():
		a.Policy = unix.SCHED_FIFO
		if t.Policy == RR {
			a.Policy = unix.SCHED_RR
		}
		a.Priority = uint32(t.Priority)
	case t.Policy == Deadline:
		a.Policy = unix.SCHED_DEADLINE
		a.Runtime, a.Deadline, a.Period = uint64(t.Runtime), uint64(t.Period), uint64(t.Period)
	default:
		a.Policy = unix.SCHED_NORMAL
	}
	return a
}

// verify reads back what the kernel made of the thread.
func (t Thread) verify() error {
	want := t.attr()
	got, err := unix.SchedGetAttr(0, 0)
	if err != nil {
		return fmt.Errorf("read scheduling policy back: %w", err)
	}
	if got.Policy != want.Policy || got.Priority != want.Priority {
		return fmt.Errorf("asked for policy %d priority %d, the kernel gave policy %d priority %d",
			want.Policy, want.Priority, got.Policy, got.Priority)
	}
	return nil
}

// MinRuntime is the least runtime that SCHED_DEADLINE admits, from
// kernel/sched/deadline.c (1 << DL_SCALE ns).
const MinRuntime = 1024 * time.Nanosecond

func (t Thread) what() string {
	if t.Policy.Fixed() {
		return fmt.Sprintf("%s priority %d", t.Policy, t.Priority)
	}
	return t.Policy.String()
}
