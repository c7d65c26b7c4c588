package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const rusageThread = 1

// ThreadUsage reads getrusage(2) of the calling thread.
//
//go:nosplit
func ThreadUsage(u *unix.Rusage) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_GETRUSAGE, rusageThread, uintptr(unsafe.Pointer(u)), 0)
	return errno
}
