package switchbench

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// All in this file belongs to the hot loops: see loop.go for what is forbidden.

// pulseBytes is what a pipe or socket carries, as perf's does.
const pulseBytes = 4

// publish numbers the next pulse, with the time at which it was due and the
// waker's clock. pulse must follow at once.
//
//go:nosplit
func (l *link) publish(due, stamp int64) {
	next := atomic.LoadUint32(l.sequence) + 1
	at := 2 * (next % slots)
	l.slots[at], l.slots[at+1] = due, stamp
	atomic.StoreUint32(l.sequence, next)
}

// pulse makes the waiter run. It never blocks: EAGAIN, ETIMEDOUT, ERANGE and
// EBUSY say that the waiter is too far behind for one more.
//
//go:nosplit
func (l *link) pulse() unix.Errno {
	switch l.kind {
	case kindFutex:
		atomic.AddUint32(l.bell, 1)
		return sys.Futex(l.bell, l.wake, 1)
	case kindPI:
		return l.handLock()
	case kindPipe:
		return sys.WritePulse(l.fd, l.token[:pulseBytes])
	case kindEventfd:
		return sys.WritePulse(l.fd, l.token[:])
	case kindQueue:
		return sys.QueuePulse(l.fd, l.token[:])
	case kindSemaphore:
		return sys.RaiseSemaphore(l.set, l.semaphore)
	case kindSignal:
		return sys.SendSignal(l.pid, l.tid, pulseSignal)
	case kindUring:
		return l.ring.Message(l.target)
	}
	return 0
}

// await blocks until a pulse has come after the one numbered last. It may return
// without one: for a pulse already known, or for a signal. settle comes next.
//
//go:nosplit
func (l *link) await(last uint32) unix.Errno {
	switch l.kind {
	case kindFutex:
		return l.awaitBell(last)
	case kindPI:
		return l.takeLock()
	case kindPipe:
		return sys.ReadPulse(l.fd, l.token[:pulseBytes])
	case kindEventfd:
		return sys.ReadPulse(l.fd, l.token[:])
	case kindQueue:
		return sys.AwaitQueue(l.fd, l.token[:])
	case kindSemaphore:
		return sys.LowerSemaphore(l.set, l.semaphore)
	case kindSignal:
		return sys.AwaitSignal(l.signals)
	case kindUring:
		return l.ring.Await()
	}
	return l.yield(last)
}

// awaitBell waits for the bell's next stroke, unless a pulse has come already.
//
//go:nosplit
func (l *link) awaitBell(last uint32) unix.Errno {
	strokes := atomic.LoadUint32(l.bell)
	if atomic.LoadUint32(l.sequence) != last || atomic.LoadUint32(l.ended) != 0 {
		return 0
	}
	return sys.Futex(l.bell, l.wait, strokes)
}

// handLock releases the lock for which the waiter waits, after taking the other
// one for the next time.
//
//go:nosplit
func (l *link) handLock() unix.Errno {
	if !atomic.CompareAndSwapUint32(l.locks[(l.turn+1)&1], 0, l.thread) {
		return unix.EBUSY
	}
	held := l.locks[l.turn&1]
	l.turn++
	if atomic.CompareAndSwapUint32(held, l.thread, 0) {
		return 0
	}
	return sys.Futex(held, l.unlock, 0)
}

// takeLock waits for the lock that the waker holds. It is the waiter's until
// settle.
//
//go:nosplit
func (l *link) takeLock() unix.Errno {
	lock := l.locks[l.turn&1]
	if !atomic.CompareAndSwapUint32(lock, 0, l.thread) {
		if errno := sys.Futex(lock, l.lock, 0); errno != 0 {
			return errno
		}
	}
	l.holds = true
	return 0
}

// settle gives back what await has taken, before the next await: after the clock
// has been read, and before the token goes on.
//
//go:nosplit
func (l *link) settle() unix.Errno {
	if !l.holds {
		return 0
	}
	l.holds = false
	lock := l.locks[l.turn&1]
	l.turn++
	if atomic.CompareAndSwapUint32(lock, l.thread, 0) {
		return 0
	}
	return sys.Futex(lock, l.unlock, 0)
}

// yield lets the others run until one of them has sent a pulse, and sleeps
// while they rest: no thread of a real-time priority may spin for long.
//
//go:nosplit
func (l *link) yield(last uint32) unix.Errno {
	for {
		sys.Yield()
		if atomic.LoadUint32(l.sequence) != last || atomic.LoadUint32(l.ended) != 0 {
			return 0
		}
		if l.rest {
			pause(sys.Nanotime())
		}
	}
}

// pause sleeps to the end of the second when 90 % of it are gone, and returns
// the clock. Else the kernel would throttle the threads at 95 %
// (sched_rt_runtime_us), in the midst of a measurement.
//
//go:nosplit
func pause(now int64) int64 {
	const second = 1e9
	into := now % second
	if into < second*9/10 {
		return now
	}
	sys.SleepUntil(now - into + second)
	return sys.Nanotime()
}
