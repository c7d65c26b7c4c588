package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Input and output on blocking descriptors by locked threads. With raw the
// runtime isn't told that the thread may sleep; see SleepUntil. All return the
// number of bytes and the error number, 0 for success.

// Read reads into b.
func Read(fd int, b []byte, raw bool) (int, unix.Errno) {
	return call3(unix.SYS_READ, fd, unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), raw)
}

// Write writes b.
func Write(fd int, b []byte, raw bool) (int, unix.Errno) {
	return call3(unix.SYS_WRITE, fd, unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), raw)
}

// Close closes fd. It is raw: only for descriptors whose end takes no time.
func Close(fd int) { unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0) }

// Readv reads into a and then, from where a is full, into b.
func Readv(fd int, a, b []byte, raw bool) (int, unix.Errno) {
	v := vectors(a, b)
	return call3(unix.SYS_READV, fd, unsafe.Pointer(&v), 2, raw)
}

// Writev writes a and b as one.
func Writev(fd int, a, b []byte, raw bool) (int, unix.Errno) {
	v := vectors(a, b)
	return call3(unix.SYS_WRITEV, fd, unsafe.Pointer(&v), 2, raw)
}

// Send writes b to a socket with flags of send(2).
func Send(fd int, b []byte, flags int, raw bool) (int, unix.Errno) {
	return call6(unix.SYS_SENDTO, fd, unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), uintptr(flags), raw)
}

// Vmsplice maps the pages of b into the pipe fd; see vmsplice(2). b must not
// be changed before the pipe's reader has read it.
func Vmsplice(fd int, b []byte, raw bool) (int, unix.Errno) {
	v := vectors(b, nil)
	return call6(unix.SYS_VMSPLICE, fd, unsafe.Pointer(&v), 1, 0, raw)
}

func vectors(a, b []byte) [2]unix.Iovec {
	var v [2]unix.Iovec
	v[0].Base, v[1].Base = unsafe.SliceData(a), unsafe.SliceData(b)
	v[0].SetLen(len(a))
	v[1].SetLen(len(b))
	return v
}

func call3(call uintptr, fd int, p unsafe.Pointer, n uintptr, raw bool) (int, unix.Errno) {
	var r uintptr
	var errno unix.Errno
	if raw {
		r, _, errno = unix.RawSyscall(call, uintptr(fd), uintptr(p), n)
	} else {
		r, _, errno = unix.Syscall(call, uintptr(fd), uintptr(p), n)
	}
	return int(r), errno
}

func call6(call uintptr, fd int, p unsafe.Pointer, n, flags uintptr, raw bool) (int, unix.Errno) {
	var r uintptr
	var errno unix.Errno
	if raw {
		r, _, errno = unix.RawSyscall6(call, uintptr(fd), uintptr(p), n, flags, 0, 0)
	} else {
		r, _, errno = unix.Syscall6(call, uintptr(fd), uintptr(p), n, flags, 0, 0)
	}
	return int(r), errno
}
