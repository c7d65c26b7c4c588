package sampler

import (
	"errors"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
)

// A Watchdog ends a loop that can't keep its period: it would hold its CPU and
// measure nothing. One that polls on purpose sets Polls.
type Watchdog struct {
	Polls bool

	second         int64
	served, missed int64
	bad            int

	calls  int
	usage  unix.Rusage
	slept  int64 // how often the thread had, when last seen
	rested int64 // when that was last seen to grow
}

// What a body returns when its watchdog barks.
var (
	ErrTooShort   = tooShort("half or more of the periods were missed in each of three seconds")
	ErrNeverSlept = tooShort("the thread has not slept for half a second")
)

func tooShort(why string) error {
	return remedy.Hint(errors.New("period too short for this machine: "+why), "choose a longer period")
}

// How often the watchdog looks whether the thread sleeps, in samples, and how
// long it may go without, in ns: less than RLIMIT_RTTIME, which kills.
const (
	restChecks  = 1024
	longestSpin = 5e8
)

// Barks takes a sample due at due, with the periods missed after it, and returns
// ErrTooShort when half or more were missed in each of the last three seconds,
// and ErrNeverSlept when each period has passed before the thread could wait.
//
//go:nosplit
func (w *Watchdog) Barks(due, missed int64) error {
	if due >= w.second {
		if w.second != 0 && w.missed >= w.served {
			w.bad++
		} else {
			w.bad = 0
		}
		w.second = due + 1e9
		w.served, w.missed = 0, 0
	}
	w.served++
	w.missed += missed
	if w.bad >= 3 {
		return ErrTooShort
	}
	if w.calls++; w.calls%restChecks == 0 && !w.Polls && w.restless(sys.Nanotime()) {
		return ErrNeverSlept
	}
	return nil
}

//go:nosplit
func (w *Watchdog) restless(now int64) bool {
	sys.ThreadUsage(&w.usage)
	if slept := int64(w.usage.Nvcsw); slept != w.slept || w.rested == 0 {
		w.slept, w.rested = slept, now
	}
	return now-w.rested > longestSpin
}
