package rtsched

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// LimitCPUTime sets RLIMIT_RTTIME for the process: the kernel kills it when one
// of its real-time threads runs this long without sleeping. It is the last
// resort against a loop that holds a CPU for ever; Go swallows the soft
// limit's SIGXCPU, so both limits are the same.
func LimitCPUTime(limit time.Duration) error {
	us := uint64(limit.Microseconds())
	if err := unix.Setrlimit(unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: us, Max: us}); err != nil {
		return fmt.Errorf("limit real-time cpu time to %s: %w", limit, err)
	}
	return nil
}
