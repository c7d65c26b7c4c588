package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Futex operations, from include/uapi/linux/futex.h. Without the private flag:
// the words lie in memory shared between processes.
const (
	futexWait = 0
	futexWake = 1
)

// FutexWait sleeps while *word is value, at most until a wake-up, a signal or
// timeout ns (0: no limit) have come. It returns 0, EAGAIN, EINTR or ETIMEDOUT.
//
//go:nosplit
func FutexWait(word *uint32, value uint32, timeout int64) unix.Errno {
	if timeout == 0 {
		_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value), 0, 0, 0)
		return errno
	}
	ts := unix.NsecToTimespec(timeout)
	_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value),
		uintptr(unsafe.Pointer(&ts)), 0, 0)
	return errno
}

// FutexWaitManaged is FutexWait with a limit, for processes whose garbage
// collector is on: the runtime knows that the thread sleeps, and a stop of the
// world doesn't wait for it.
func FutexWaitManaged(word *uint32, value uint32, timeout int64) unix.Errno {
	ts := unix.NsecToTimespec(timeout)
	_, _, errno := unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait, uintptr(value),
		uintptr(unsafe.Pointer(&ts)), 0, 0)
	return errno
}

// FutexWake wakes up to n threads that wait on word.
//
//go:nosplit
func FutexWake(word *uint32, n int) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake, uintptr(n), 0, 0, 0)
	return errno
}

// A FutexOp is an operation of futex(2) that takes no more than a word and a
// value.
type FutexOp uintptr

// The operations, for words of memory shared between processes; with
// FutexPrivate for threads of one process, which is quicker.
const (
	OpWait     FutexOp = 0
	OpWake     FutexOp = 1
	OpLockPI   FutexOp = 6
	OpUnlockPI FutexOp = 7

	FutexPrivate FutexOp = 128
)

// Futex does an operation, without a limit to its waiting. The call is raw, see
// SleepUntil.
//
//go:nosplit
func Futex(word *uint32, op FutexOp, value uint32) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), uintptr(op), uintptr(value), 0, 0, 0)
	return errno
}
