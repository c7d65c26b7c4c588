package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Reads and writes of a few bytes, for hot loops: raw as SleepUntil is, and
// with no room for a stack check.

// ReadPulse reads into b from a blocking descriptor.
//
//go:nosplit
func ReadPulse(fd int, b []byte) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return errno
}

// WritePulse writes b.
//
//go:nosplit
func WritePulse(fd int, b []byte) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	return errno
}

// QueuePulse puts b into a message queue, and returns ETIMEDOUT at once when
// the queue is full.
//
//go:nosplit
func QueuePulse(fd int, b []byte) unix.Errno {
	var past unix.Timespec
	_, _, errno := unix.RawSyscall6(unix.SYS_MQ_TIMEDSEND, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		0, uintptr(unsafe.Pointer(&past)), 0)
	return errno
}

// AwaitQueue takes the oldest message of a queue, which must fit into b.
//
//go:nosplit
func AwaitQueue(fd int, b []byte) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_MQ_TIMEDRECEIVE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0)
	return errno
}

// SendSignal sends sig to the thread tid of process pid.
//
//go:nosplit
func SendSignal(pid, tid int, sig unix.Signal) unix.Errno {
	_, _, errno := unix.RawSyscall(unix.SYS_TGKILL, uintptr(pid), uintptr(tid), uintptr(sig))
	return errno
}

// AwaitSignal waits until a signal of set, all of them blocked, is pending on
// the calling thread.
//
//go:nosplit
func AwaitSignal(set *unix.Sigset_t) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(set)), 0, 0, sigsetSize, 0, 0)
	return errno
}
