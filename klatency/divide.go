package klatency

import "slices"

// A Culprit is something that took time of a wake-up.
type Culprit struct {
	Stage Stage
	// The rest says what ran: the innermost handler, by kind and number, and
	// the thread below it.
	frame  kind
	number uint32
	vector uint8
	pid    uint32
	comm   string
	prio   uint16
	policy uint8
}

// A Share is the time that a culprit took.
type Share struct {
	Culprit
	// Nanoseconds in all.
	Nanoseconds int64
}

// A Division is one wake-up divided among stages and culprits.
type Division struct {
	Durations
	Shares []Share
	// NMI is the time in ns that non-maskable interrupts took, within all that.
	NMI int64

	prio uint16 // the thread's, as the kernel counts
}

// frame is an interrupt, softirq or idle state that is being served.
type frame struct {
	kind   kind // of the entry
	number uint32
	vector uint8
}

// walk is the state of a CPU while the events of a wake-up are gone through.
type walk struct {
	tid       uint32
	end       int64
	at        int64 // up to here time is given away
	frames    []frame
	thread    event // the switch that brought the thread on the CPU
	timer     frame // the interrupt that called our timer's handler
	fired     bool
	woken     bool // our thread wants the CPU
	in        bool // it has had it since
	stopped   bool
	missed    bool // events are missing: what the CPU does is not known
	into      *Division
	wantShare bool
}

// Divide gives the time from the wake-up's due time to end, in CLOCK_MONOTONIC
// ns, to stages, and with shares to culprits as well. end is when the sample
// was taken, or In for the kernel's part alone. It writes into d.
func (w *Wakeup) Divide(tid int, end int64, shares bool, d *Division) {
	*d = Division{Shares: d.Shares[:0], NMI: w.NMI}
	if !w.whole() {
		d.Durations[Unknown] = end - w.Due
		return
	}
	s := walk{
		tid: uint32(tid), end: end, at: w.Due, into: d, wantShare: shares,
		timer: w.timer(), stopped: w.state != 0 && w.state&interruptible == 0,
		frames: make([]frame, 0, 8),
	}
	for i := range w.events {
		e := &w.events[i]
		if e.at > s.at {
			s.give(min(e.at, end))
			if e.at >= end {
				break
			}
		}
		s.apply(e)
	}
	if s.at < end {
		d.Durations[Unknown] += end - s.at
	}
}

// Task states of the kernel (include/linux/sched.h).
const interruptible = 1

// timer finds the interrupt in which our timer's handler was called.
func (w *Wakeup) timer() frame {
	s := walk{into: new(Division)}
	for i := range w.events {
		if e := &w.events[i]; e.kind == fired {
			break
		}
		s.apply(&w.events[i])
	}
	for _, f := range slices.Backward(s.frames) {
		if f.kind == vectorIn || f.kind == irqIn {
			return f
		}
	}
	return frame{kind: vectorIn, vector: vectorTimer}
}

// apply changes the state as e says.
func (s *walk) apply(e *event) {
	switch e.kind {
	case switched:
		s.frames = s.frames[:0]
		s.thread = *e
		s.missed = s.missed && e.arg != s.tid
		if e.arg == s.tid && e.at >= s.at {
			s.in, s.stopped = true, false
			s.into.prio = e.prio
		}
	case irqIn, vectorIn, softirqIn, idleIn:
		s.frames = append(s.frames, frame{e.kind, e.arg, e.flag})
	case irqOut, vectorOut, softirqOut, idleOut:
		// The entry before the exit, whatever is above: its exit was not recorded.
		for i, f := range slices.Backward(s.frames) {
			if f.kind == e.kind-1 {
				s.frames = s.frames[:i]
				break
			}
		}
	case fired:
		s.fired, s.woken, s.stopped = true, true, false
	case waking:
		s.woken, s.stopped = true, false
	case missed:
		s.missed = true
	case left:
		s.stopped = e.arg != 0
	}
}

// give gives the time up to to away.
func (s *walk) give(to int64) {
	c := Culprit{Stage: s.stage()}
	s.into.Durations[c.Stage] += to - s.at
	if s.wantShare {
		if n := len(s.frames); n > 0 {
			c.frame, c.number, c.vector = s.frames[n-1].kind, s.frames[n-1].number, s.frames[n-1].vector
		}
		c.pid, c.comm, c.prio, c.policy = s.thread.arg, s.thread.comm, s.thread.prio, s.thread.flag
		s.share(c, to-s.at)
	}
	s.at = to
}

func (s *walk) share(c Culprit, ns int64) {
	for i := range s.into.Shares {
		if s.into.Shares[i].Culprit == c {
			s.into.Shares[i].Nanoseconds += ns
			return
		}
	}
	s.into.Shares = append(s.into.Shares, Share{c, ns})
}

// stage says where the time goes that passes in the present state.
func (s *walk) stage() Stage {
	switch {
	case s.missed:
		return Unknown
	case s.stopped:
		return Stopped
	case len(s.frames) > 0:
		if st, ok := s.frameStage(s.frames[len(s.frames)-1]); ok {
			return st
		}
	}
	ours := s.thread.arg == s.tid
	switch {
	case ours && s.in:
		return Return
	case !s.woken && ours:
		return Unknown // running at its due time, but not yet asleep
	case !s.woken:
		return Interrupt
	case s.thread.arg == 0:
		return Switch
	}
	return RunQueue
}

func (s *walk) frameStage(f frame) (Stage, bool) {
	switch f.kind {
	case softirqIn:
		return Softirq, true
	case idleIn:
		if s.woken {
			return Idle, true
		}
		return Interrupt, true
	case vectorIn, irqIn:
		if f != s.timer && f.vector != vectorTimer {
			return IRQ, true
		}
		if s.fired && !s.in {
			return Handler, true
		}
		return Timer, true
	}
	return 0, false
}
