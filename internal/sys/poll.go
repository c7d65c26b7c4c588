package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// WaitReadable waits at most timeout ns until fd can be read, has ended or
// failed, and reports whether it has. A signal ends the wait early. With raw the
// runtime isn't told that the thread sleeps; see SleepUntil.
func WaitReadable(fd int, timeout int64, raw bool) bool {
	p := unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	ts := unix.NsecToTimespec(timeout)
	var n uintptr
	if raw {
		n, _, _ = unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	} else {
		n, _, _ = unix.Syscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	}
	return n == 1
}

// Poll waits until one of the descriptors is ready or timeout ms are over, and
// returns how many are ready. With raw it keeps its P: each sleep that gives it
// away makes the runtime's own monitor thread wake up some sixty times to look
// for work, which costs a sampler more than all its reporting. A garbage
// collector would wait for it all the time.
func Poll(fds []unix.PollFd, timeout int, raw bool) int {
	ts := unix.NsecToTimespec(int64(timeout) * 1e6)
	call := unix.Syscall6
	if raw {
		call = unix.RawSyscall6
	}
	n, _, errno := call(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&fds[0])), uintptr(len(fds)), uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return int(n)
}
