package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// WriteByte writes one byte to a pipe or a socket.
//
//go:nosplit
func WriteByte(fd int) unix.Errno {
	var b byte
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&b)), 1)
	return errno
}
