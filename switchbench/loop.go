package switchbench

import (
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/sampler"
)

// A loop is one thread's part. Below are the hot loops. Forbidden in them:
// allocation, maps, interface and deferred calls, channels, time.Now, fmt, and
// every call of a function that may grow the stack: there the Go scheduler
// would step in and hand the thread to another one.
type loop struct {
	thread  *sampler.Thread
	in, out *link
	stop    *uint32
	period  int64
	limit   int64
	from    int64 // of the measured time: what comes before breaks nothing
	hops    int64
	rest    bool
	set     []byte
	dog     sampler.Watchdog
	row     [3]int64
}

// wake sends a pulse each period.
func (l *loop) wake(first int64) error {
	w, due, err := rtsched.Arm(rtsched.Nanosleep, first, l.period)
	if err != nil {
		return l.fail(err)
	}
	out := l.out
	out.begin()
	for {
		_, missed := w.Wait(due)
		if atomic.LoadUint32(l.stop) != 0 {
			l.end()
			return nil
		}
		due += missed * l.period
		out.publish(due, sys.Nanotime())
		if errno := out.pulse(); !behind(errno) {
			return l.fail(errno)
		}
		if err := l.dog.Barks(due, missed); err != nil {
			return l.fail(err)
		}
		due += l.period
	}
}

// waitPulses measures each pulse that comes while it waits. One that came before
// is lost, which the numbers of the rows tell.
func (l *loop) waitPulses(int64) error {
	in, row := l.in, l.row[:]
	for {
		last := atomic.LoadUint32(in.sequence)
		if atomic.LoadUint32(in.ended) != 0 {
			return nil
		}
		errno := in.await(last)
		// The number comes first: were it read after the clock, it could be that of
		// a pulse sent since.
		round := atomic.LoadUint32(in.sequence)
		now := sys.Nanotime()
		if errno == 0 {
			errno = in.settle()
		}
		if !interrupted(errno) && atomic.LoadUint32(in.ended) == 0 {
			return l.fail(errno)
		}
		at := 2 * (round % slots)
		due, stamp := in.slots[at], in.slots[at+1]
		if round == last || atomic.LoadUint32(in.sequence)-round >= slots-1 {
			continue
		}
		row[0], row[1], row[2] = due, now-stamp, int64(round)
		l.put(row)
	}
}

// lead sends a token round the ring, again and again, and measures each round.
func (l *loop) lead(first int64) error {
	sys.SleepUntil(first)
	l.out.begin()
	row, stamp := l.row[:], sys.Nanotime()
	for round := int64(1); ; round++ {
		if atomic.LoadUint32(l.stop) != 0 || atomic.LoadUint32(l.in.ended) != 0 {
			l.end()
			return nil
		}
		last := atomic.LoadUint32(l.in.sequence)
		l.touch()
		if errno := l.send(stamp); errno != 0 {
			return l.fail(errno)
		}
		if errno := l.receive(last); errno != 0 {
			return l.fail(errno)
		}
		now := sys.Nanotime()
		if atomic.LoadUint32(l.in.ended) != 0 {
			continue
		}
		row[0], row[1], row[2] = stamp, (now-stamp)/l.hops, round
		l.put(row)
		if l.rest {
			now = pause(now)
		}
		stamp = now
	}
}

// follow passes the token on.
func (l *loop) follow(first int64) error {
	sys.SleepUntil(first)
	l.out.begin()
	for last := uint32(0); ; last++ {
		if errno := l.receive(last); errno != 0 {
			return l.fail(errno)
		}
		if atomic.LoadUint32(l.in.ended) != 0 {
			l.end()
			return nil
		}
		l.touch()
		if errno := l.send(0); errno != 0 {
			return l.fail(errno)
		}
	}
}

// send passes the token to the next thread.
//
//go:nosplit
func (l *loop) send(stamp int64) unix.Errno {
	l.out.publish(stamp, stamp)
	return l.out.pulse()
}

// receive waits for the token that comes after the one numbered last, or for
// the end.
//
//go:nosplit
func (l *loop) receive(last uint32) unix.Errno {
	for {
		errno := l.in.await(last)
		if errno == 0 {
			errno = l.in.settle()
		}
		if atomic.LoadUint32(l.in.sequence) != last || atomic.LoadUint32(l.in.ended) != 0 {
			return 0
		}
		if !interrupted(errno) {
			return errno
		}
	}
}

// touch reads and writes a byte of each cache line of the working set.
//
//go:nosplit
func (l *loop) touch() {
	const line = 64
	for i := 0; i < len(l.set); i += line {
		l.set[i]++
	}
}

// put records a sample, and ends the run at the break value.
//
//go:nosplit
func (l *loop) put(row []int64) {
	l.thread.Put(row)
	if row[1] > l.limit && row[0] >= l.from {
		l.thread.End(reasonBreak)
		atomic.StoreUint32(l.stop, 1)
	}
}

// end tells the thread that waits for this one that no more will come.
//
//go:nosplit
func (l *loop) end() {
	if l.out != nil {
		atomic.StoreUint32(l.out.ended, 1)
		l.out.pulse()
	}
}

// fail ends the whole measurement for an error of this thread.
func (l *loop) fail(err error) error {
	atomic.StoreUint32(l.stop, 1)
	l.end()
	return fmt.Errorf("switch: %w", err)
}

// behind tells whether pulse did what it could: it sent, or the waiter has not
// taken what it was sent before.
//
//go:nosplit
func behind(errno unix.Errno) bool {
	switch errno {
	case 0, unix.EAGAIN, unix.ETIMEDOUT, unix.ERANGE, unix.EBUSY:
		return true
	}
	return false
}

// interrupted tells whether await returned without failing.
//
//go:nosplit
func interrupted(errno unix.Errno) bool {
	return errno == 0 || errno == unix.EAGAIN || errno == unix.EINTR
}

const reasonBreak = "break"
