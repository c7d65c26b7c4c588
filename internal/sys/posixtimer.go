package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// TimerSignal is what a POSIX timer sends: a real-time signal beyond those that
// a C library takes for itself.
const TimerSignal = unix.Signal(40)

const sigevThreadID = 4

// sigevent is struct sigevent of include/uapi/asm-generic/siginfo.h: 64 bytes
// on 64-bit machines and on 32-bit ones.
type sigevent struct {
	value  uintptr
	signo  int32
	notify int32
	tid    int32
	_      [64 - 12 - unsafe.Sizeof(uintptr(0))]byte
}

// OpenPOSIXTimer makes a timer of timer_create(2) that signals thread tid with
// TimerSignal, at first and then every period (both CLOCK_MONOTONIC ns). The
// signal must be blocked on that thread.
func OpenPOSIXTimer(tid int, first, period int64) (int32, error) {
	event := sigevent{signo: int32(TimerSignal), notify: sigevThreadID, tid: int32(tid)}
	var id int32
	_, _, errno := unix.RawSyscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC,
		uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&id)))
	if errno != 0 {
		return 0, errno
	}
	spec := unix.ItimerSpec{Interval: unix.NsecToTimespec(period), Value: unix.NsecToTimespec(first)}
	_, _, errno = unix.RawSyscall6(unix.SYS_TIMER_SETTIME, uintptr(id), timerAbstime, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
	if errno != 0 {
		ClosePOSIXTimer(id)
		return 0, errno
	}
	return id, nil
}

// ClosePOSIXTimer deletes the timer.
func ClosePOSIXTimer(id int32) {
	unix.RawSyscall(unix.SYS_TIMER_DELETE, uintptr(id), 0, 0)
}

// siginfo is the head of siginfo_t as the kernel fills it in for SI_TIMER.
type siginfo struct {
	signo, errno, code int32
	_                  [unsafe.Sizeof(uintptr(0)) - 4]byte
	timerID, overrun   int32
	_                  [128 - 20 - (unsafe.Sizeof(uintptr(0)) - 4)]byte
}

// WaitSignal blocks until TimerSignal is pending on the calling thread and
// returns how many times the timer has expired since the last call.
//
//go:nosplit
func WaitSignal(set *unix.Sigset_t) int64 {
	var info siginfo
	for {
		_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGTIMEDWAIT, uintptr(unsafe.Pointer(set)),
			uintptr(unsafe.Pointer(&info)), 0, sigsetSize, 0, 0)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return 0
		}
		return int64(info.overrun) + 1
	}
}
