package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Poll waits until one of the descriptors is ready or timeout ms are over, and
// returns how many are ready. It keeps its P: each sleep that gives it away
// makes the runtime's own monitor thread wake up some sixty times to look for
// work, which costs a sampler more than all its reporting.
func Poll(fds []unix.PollFd, timeout int) int {
	ts := unix.NsecToTimespec(int64(timeout) * 1e6)
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)),
		uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}
