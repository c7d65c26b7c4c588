package loadgen

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func clockKind() Kind {
	return Kind{
		Name:     "clock",
		Stresses: "timekeeping: adjtimex and clock_gettime, which only read",
		Counter:  "tracepoint raw_syscalls/sys_enter",
		Parts: []Part{{
			Unit: "read/s",
			start: func(w *worker, lanes []*uint32) error {
				if _, err := unix.Adjtimex(new(unix.Timex)); err != nil {
					return fmt.Errorf("read the clock's adjustment: %w", err)
				}
				return w.thread(lanes[0], readClocks)
			},
		}},
	}
}

// readClocks reads the adjustment (adjtimex with no mode changes nothing) and
// the clocks, without the vDSO.
func readClocks() int {
	reads := 0
	for range 16 {
		var state unix.Timex
		unix.Adjtimex(&state)
		for _, clock := range []int32{unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC, unix.CLOCK_BOOTTIME, unix.CLOCK_TAI} {
			var ts unix.Timespec
			unix.ClockGettime(clock, &ts)
		}
		reads += 5
	}
	return reads
}
