package switchbench

import (
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/sampler"
)

// Loop is what sampler.Main needs to run this package's children.
var Loop = sampler.Loop{
	Name:    "switchbench",
	Columns: []string{"due", "value", "round"},
	New:     newBody,
}

// arguments is what a child gets of a Config.
type arguments struct {
	Mechanism  Mechanism     `json:"mechanism"`
	Measure    Measure       `json:"measure"`
	Period     time.Duration `json:"period_ns"`
	Break      time.Duration `json:"break_ns"`
	Rest       bool          `json:"rest"`
	WorkingSet int           `json:"working_set_bytes"`
	// Private says that all threads are in one process.
	Private bool `json:"private"`
	// First is the number of the child's first thread, Threads and Links count
	// those of all children.
	First   int `json:"first"`
	Threads int `json:"threads"`
	Links   int `json:"links"`
	// Semaphores is a set with one for each link, Rings are the waiter's and the
	// waker's of each link.
	Semaphores int               `json:"semaphores"`
	Rings      []sys.UringParams `json:"rings,omitempty"`
}

func newBody(t *sampler.Thread) (sampler.Body, error) {
	args := new(arguments)
	if err := t.Args(args); err != nil {
		return nil, err
	}
	memory, err := mapOnce(t, (1+args.Links)*part)
	if err != nil {
		return nil, err
	}
	l := &loop{
		thread: t, period: int64(args.Period), limit: int64(args.Break), rest: args.Rest, hops: 1,
		stop: &sys.Words(memory)[wordStop], set: make([]byte, args.WorkingSet),
	}
	if l.limit == 0 {
		l.limit = 1<<63 - 1
	}
	rtsched.Touch(l.set)
	j := &join{arguments: args, memory: memory, files: t.Files[1:]}
	body, err := l.body(j, args.First+t.Index)
	return func(first int64) error {
		l.from = t.Measured()
		return body(first)
	}, err
}

// mapOnce maps the hub's memory, at one place for all threads of the process: a
// private futex is known by its address.
func mapOnce(t *sampler.Thread, size int) ([]byte, error) {
	if memory, ok := (*t.Common).([]byte); ok {
		return memory, nil
	}
	memory, err := sys.MapSealed(int(t.Files[0].Fd()), size, true)
	if err != nil {
		return nil, err
	}
	rtsched.Touch(memory)
	*t.Common = memory
	return memory, nil
}

// body takes the ends of the links that the member's part needs.
func (l *loop) body(j *join, member int) (body sampler.Body, err error) {
	if j.Measure == HandOver {
		if member == 0 {
			l.out, err = j.newLink(0, true)
			return l.wake, err
		}
		l.in, err = j.newLink(0, false)
		return l.waitPulses, err
	}
	if j.Measure == Ring {
		l.hops = int64(j.Threads)
	}
	if l.out, err = j.newLink(member, true); err != nil {
		return nil, err
	}
	l.in, err = j.newLink((member+j.Threads-1)%j.Threads, false)
	if member == 0 {
		return l.lead, err
	}
	return l.follow, err
}

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
