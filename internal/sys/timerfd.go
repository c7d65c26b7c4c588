package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// OpenTimerfd makes a timerfd on CLOCK_MONOTONIC that first expires at first
// and then every period (both ns). The caller closes the descriptor.
func OpenTimerfd(first, period int64) (int, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC)
	if err != nil {
		return -1, err
	}
	spec := unix.ItimerSpec{Interval: unix.NsecToTimespec(period), Value: unix.NsecToTimespec(first)}
	if err := unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// WaitTimerfd blocks until the timer has expired and returns how many times it
// has since the last call, 0 on an error other than EINTR.
//
//go:nosplit
func WaitTimerfd(fd int) int64 {
	var expirations uint64
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&expirations)), 8)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 || n != 8 {
			return 0
		}
		return int64(expirations)
	}
}
