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
