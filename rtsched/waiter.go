package rtsched

import (
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A Timer is a way to wait for the next period.
type Timer string

// The timers; the zero Timer means Nanosleep.
const (
	Nanosleep  Timer = "nanosleep" // absolute clock_nanosleep(2), as cyclictest
	Timerfd    Timer = "timerfd"   // read(2) of a periodic timerfd
	POSIXTimer Timer = "posix"     // timer_create(2) and sigtimedwait(2)
	Busy       Timer = "busy"      // reading the clock until it is time
)

// Timers are all that ParseTimer takes.
var timers = []Timer{Nanosleep, Timerfd, POSIXTimer, Busy}

// ParseTimer takes a timer's name.
func ParseTimer(s string) (Timer, error) {
	for _, t := range timers {
		if s == string(t) {
			return t, nil
		}
	}
	return "", fmt.Errorf("unknown timer %q (nanosleep, timerfd, posix or busy)", s)
}

// A Waiter waits for one due time after the other on the thread that armed it.
type Waiter struct {
	timer   Timer
	kind    int
	period  int64
	fd      int
	posix   int32
	signals *unix.Sigset_t
}

// The values of Waiter.kind, for a switch without string comparison.
const (
	kindNanosleep = iota
	kindTimerfd
	kindPOSIX
	kindBusy
)

// Arm makes the calling thread's timer: it first expires at first, then every
// period (CLOCK_MONOTONIC ns). A first date already past moves to the next
// date first + k*period that is to come, so that no later sample is shifted;
// Arm returns that date beside the waiter. The timer lasts until Close, or as
// long as the process.
func Arm(timer Timer, first, period int64) (*Waiter, int64, error) {
	if now := sys.Nanotime(); first < now {
		first += (now - first + period - 1) / period * period
	}
	w := &Waiter{timer: timer, period: period, fd: -1}
	var err error
	switch timer {
	case Timerfd:
		w.kind = kindTimerfd
		w.fd, err = sys.OpenTimerfd(first, period)
	case POSIXTimer:
		w.kind = kindPOSIX
		w.signals = sys.SignalSet(sys.TimerSignal)
		w.posix, err = sys.OpenPOSIXTimer(unix.Gettid(), first, period)
	case Busy:
		w.kind = kindBusy
	}
	if err != nil {
		return nil, 0, fmt.Errorf("arm %s timer: %w", timer, err)
	}
	return w, first, nil
}

// Wait returns at the due time or later, with the number of further periods
// that have expired unserved by then. Due times must follow one another by
// period, over the missed ones: due += (1 + missed) * period. now is when Wait
// returned, in CLOCK_MONOTONIC ns.
//
//go:nosplit
func (w *Waiter) Wait(due int64) (now, missed int64) {
	switch w.kind {
	case kindTimerfd:
		missed = sys.WaitTimerfd(w.fd) - 1
		return sys.Nanotime(), missed
	case kindPOSIX:
		missed = sys.WaitSignal(w.signals) - 1
		return sys.Nanotime(), missed
	case kindBusy:
		for now = sys.Nanotime(); now < due; now = sys.Nanotime() {
		}
	default:
		sys.SleepUntil(due)
		now = sys.Nanotime()
	}
	if late := now - due; late >= w.period {
		missed = late / w.period
	}
	return now, missed
}

// Close frees the timer. A sampler's body leaves that to the end of its process:
// a call with a stack check would let the Go scheduler into the measurement.
func (w *Waiter) Close() {
	switch w.kind {
	case kindTimerfd:
		unix.Close(w.fd)
	case kindPOSIX:
		sys.ClosePOSIXTimer(w.posix)
	}
}
