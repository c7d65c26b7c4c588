package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const timerAbstime = 1

// SleepUntil sleeps until CLOCK_MONOTONIC reaches due (ns) and starts over when
// a signal interrupts it. A due time already past returns at once.
//
// The call is raw: the runtime isn't told that the thread sleeps, so that no
// other goroutine takes its P and no hand-over delays the wake-up. A process
// that calls it needs GOMAXPROCS above the number of such threads, and its
// garbage collector off.
//
//go:nosplit
func SleepUntil(due int64) {
	ts := unix.NsecToTimespec(due)
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_CLOCK_NANOSLEEP, unix.CLOCK_MONOTONIC, timerAbstime,
			uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}
