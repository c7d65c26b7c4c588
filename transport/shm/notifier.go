package shm

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A Notifier is the way in which a waiting subscriber learns of a message.
type Notifier uint8

const (
	// Futex sleeps on a word of the arena. A subscriber that isn't waiting costs
	// its publisher no system call.
	Futex Notifier = iota
	// Eventfd sleeps on a descriptor, for those who wait on several things.
	Eventfd
	// Spin reads the ring until something is there. It wants a CPU of its own. A
	// publisher that waits for space looks for it as well, and makes nobody call it:
	// for SpinTime without a pause, then every 50 us.
	Spin
	// SpinFutex spins for SpinTime and then sleeps on the futex.
	SpinFutex
	// Poll50 looks every 50 us, as CyberRT's ConditionNotifier does. It is here to
	// be compared with, not to be used.
	Poll50
)

var notifierNames = [...]string{
	Futex: "futex", Eventfd: "eventfd", Spin: "spin", SpinFutex: "spin-futex", Poll50: "poll50",
}

func (n Notifier) String() string { return notifierNames[n] }

// Notifiers returns all of them.
func Notifiers() []Notifier { return []Notifier{Futex, Eventfd, Spin, SpinFutex, Poll50} }

// ParseNotifier returns the notifier of that name.
func ParseNotifier(name string) (Notifier, error) {
	for n, s := range notifierNames {
		if s == name {
			return Notifier(n), nil
		}
	}
	return 0, fmt.Errorf("unknown notifier %q (futex, eventfd, spin, spin-futex, poll50)", name)
}

const (
	// SpinTime is how long SpinFutex, and Spin's publisher, spin before they sleep.
	SpinTime = 50 * time.Microsecond
	// recheck bounds every sleep: a peer may have been killed between its push and
	// its wake-up call.
	recheck = 20 * time.Millisecond
	// pollEvery is the sleep of Poll50, and of Spin's publisher.
	pollEvery = 50 * time.Microsecond
	// spinLook is how many looks at the ring one look at the clock is worth.
	spinLook = 64
)

// A waiter is the sleeping half of a notifier, in the subscriber.
type waiter struct {
	kind   Notifier
	raw    bool
	ring   *ring
	closed *atomic.Uint32 // set by a publisher that ends in good order
	gone   *atomic.Uint32 // set by us when the publisher is no more
	event  int            // descriptor of Eventfd, else -1
}

// ready reports whether waiting is over: something is there, or nothing will be.
func (w *waiter) ready() bool { return !w.ring.empty() || w.over() }

// over reports whether nothing more will be published.
func (w *waiter) over() bool { return w.closed.Load() != 0 || w.gone.Load() != 0 }

// wait returns nil when something is queued or the publisher is gone, and
// ErrTimeout after timeout.
func (w *waiter) wait(timeout time.Duration) error {
	looks := 1
	if w.kind == Spin || w.kind == SpinFutex {
		looks = spinLook
	}
	for range looks {
		if w.ready() {
			return nil
		}
	}
	end := sys.Nanotime() + int64(timeout)
	switch w.kind {
	case Spin:
		return w.spin(end)
	case SpinFutex:
		if w.spin(min(end, sys.Nanotime()+int64(SpinTime))) == nil {
			return nil
		}
	}
	for {
		left := end - sys.Nanotime()
		if left <= 0 {
			return ErrTimeout
		}
		if w.kind == Poll50 {
			sleep(pollEvery, w.raw)
		} else {
			w.sleep(min(time.Duration(left), recheck))
		}
		if w.ready() {
			return nil
		}
	}
}

// spin looks until end, a CLOCK_MONOTONIC time in ns.
func (w *waiter) spin(end int64) error {
	for {
		for range spinLook {
			if w.ready() {
				return nil
			}
		}
		if sys.Nanotime() >= end {
			return ErrTimeout
		}
	}
}

// sleep announces itself, looks once more, and sleeps until it is called or time
// is up. A publisher that pushes after the last look sees the announcement, since
// both store before they load.
func (w *waiter) sleep(d time.Duration) {
	seen := w.ring.bell.Load()
	w.ring.waiting.Store(1)
	if !w.ready() {
		if w.kind == Eventfd {
			sleepOn(w.event, d, w.raw)
		} else {
			sys.WaitWord(w.ring.bell, seen, int64(d), w.raw)
		}
	}
	w.ring.waiting.Store(0)
}

// call wakes the subscriber of ring r if it sleeps, and only then makes a system
// call.
func call(r *ring, event int) {
	if r.waiting.Load() == 0 || r.waiting.Swap(0) == 0 {
		return
	}
	r.bell.Add(1)
	if event < 0 {
		sys.WakeWord(r.bell, 1)
		return
	}
	signal(event)
}

// signal signals an eventfd.
func signal(event int) {
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	sys.Write(event, one[:], true)
}

// sleepOn waits until the event is signalled and takes the signal, or until d is
// over.
func sleepOn(event int, d time.Duration, raw bool) {
	if sys.WaitReadable(event, int64(d), raw) {
		var count [8]byte
		sys.Read(event, count[:], raw)
	}
}

// sleep sleeps for d, and shorter when a signal comes.
func sleep(d time.Duration, raw bool) {
	if raw {
		sys.SleepUntil(sys.Nanotime() + int64(d))
		return
	}
	ts := unix.NsecToTimespec(int64(d))
	unix.Nanosleep(&ts, nil)
}
