package latency

import (
	"time"

	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/sampler"
)

// Loop is what sampler.Main needs to run this package's child.
var Loop = sampler.Loop{
	Name:    "latency",
	Columns: []string{"due", "late", "missed"},
	New:     newBody,
}

// arguments is what the child gets of a Config.
type arguments struct {
	Period time.Duration `json:"period_ns"`
	Timer  rtsched.Timer `json:"timer"`
	Align  string        `json:"align"`
	Break  time.Duration `json:"break_ns"`
	Rest   bool          `json:"rest"`
}

func newBody(t *sampler.Thread) (sampler.Body, error) {
	var args arguments
	if err := t.Args(&args); err != nil {
		return nil, err
	}
	l := &loop{thread: t, period: int64(args.Period), limit: int64(args.Break), rest: args.Rest}
	if l.limit == 0 {
		l.limit = 1<<63 - 1
	}
	l.freezer = newFreezer(t.Files)
	l.dog.Polls = args.Timer == rtsched.Busy
	return func(first int64) error {
		l.from = t.Measured()
		if args.Align == AlignSpread {
			first += int64(args.Period) * int64(t.Index) / int64(t.Threads)
		}
		w, due, err := rtsched.Arm(args.Timer, first, l.period)
		if err != nil {
			return err
		}
		return l.run(w, due)
	}, nil
}

type loop struct {
	thread  *sampler.Thread
	period  int64
	from    int64 // of the measured time: what comes before breaks and freezes nothing
	limit   int64
	rest    bool
	dog     sampler.Watchdog
	freezer freezer
	row     [3]int64
}

// run is the hot loop. Forbidden in it: allocation, maps, interface and
// deferred calls, channels, time.Now, fmt. It is pinned: else the Go scheduler
// would step in at a call that may grow the stack, and hand the thread's work to
// another one.
func (l *loop) run(w *rtsched.Waiter, due int64) error {
	sys.Pin()
	defer sys.Unpin()
	t, row := l.thread, l.row[:]
	for !t.Stopped() {
		if l.rest {
			due = l.pause(due)
		}
		now, missed := w.Wait(due)
		late := now - due
		row[0], row[1], row[2] = due, late, missed
		t.Put(row)
		if late > l.freezer.worst && due >= l.from {
			l.freezer.freeze(late)
		}
		if late > l.limit && due >= l.from {
			t.End(reasonBreak)
		}
		if err := l.dog.Barks(due, missed); err != nil {
			return err
		}
		due += (1 + missed) * l.period
	}
	return nil
}

// pause keeps busy polling below 90 % of each second: from then on it sleeps to
// the end of the second. Else the kernel would throttle the thread at 95 %
// (sched_rt_runtime_us), in the midst of a measurement. Its row has a negative
// number of missed periods: those left out on purpose, from due on.
//
//go:nosplit
func (l *loop) pause(due int64) int64 {
	const second = 1e9
	into := due % second
	if into < second*9/10 {
		return due
	}
	sys.SleepUntil(due - into + second)
	periods := (second - into + l.period - 1) / l.period
	l.row[0], l.row[1], l.row[2] = due, 0, -periods
	l.thread.Put(l.row[:])
	return due + periods*l.period
}

const reasonBreak = "break"
