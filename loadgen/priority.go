package loadgen

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
	"worstcase/rtsched"
)

func priorityKind() Kind {
	return Kind{
		Name:     priorityName,
		Stresses: "the real-time scheduler: a SCHED_FIFO thread on each CPU, below the measured priority, 20 us of work every 100 us",
		Needs:    "CAP_SYS_NICE or an rtprio limit; and real-time budget under RT_GROUP_SCHED",
		Counter:  "tracepoint sched/sched_switch if next_prio < 99",
		Parts:    []Part{{Unit: "period/s", Lanes: eachCPU, start: startPriority}},
	}
}

const (
	priorityName   = "priority"
	priorityPeriod = 100_000 // ns
	priorityWork   = 20_000  // ns, a fifth of the period: what sleeps can't take a CPU
)

// startPriority makes the real-time threads. They always sleep, until the next
// whole period that is not past, and the kernel kills the process when one runs
// for 100 ms without (RLIMIT_RTTIME).
func startPriority(w *worker, lanes []*uint32) error {
	limit := unix.Rlimit{Cur: 100_000, Max: 100_000}
	if err := unix.Setrlimit(unix.RLIMIT_RTTIME, &limit); err != nil {
		return fmt.Errorf("limit the time of real-time threads: %w", err)
	}
	for i, lane := range lanes {
		thread := rtsched.Thread{Name: "load-priority", Priority: w.Priority, CPU: w.CPUs[i%len(w.CPUs)]}
		err := w.open(lane, func() (func() int, error) {
			return periodic(sys.Nanotime()), thread.Apply()
		})
		switch {
		case errors.Is(err, remedy.ErrUnavailable) && !rtsched.HasCapability(unix.CAP_SYS_NICE):
			return remedy.Unavailable(err, "run as root, raise the rtprio limit (limits.conf), or leave the load priority out")
		case err != nil:
			return err
		}
	}
	return nil
}

// periodic returns a step that sleeps to the next period and works.
func periodic(due int64) func() int {
	return func() int {
		now := sys.Nanotime()
		due += max(1, (now-due)/priorityPeriod+1) * priorityPeriod
		sys.SleepUntil(due)
		for start := sys.Nanotime(); sys.Nanotime() < start+priorityWork; {
		}
		return 1
	}
}
