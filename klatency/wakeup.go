package klatency

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// The kinds of entries, as in bpf/wakeups.c.
type kind uint8

const (
	begin kind = iota + 1
	switched
	name
	irqIn
	irqOut
	vectorIn
	vectorOut
	softirqIn
	softirqOut
	idleIn
	idleOut
	fired
	waking
	left
	missed
	end
	kinds
)

// The vectors of x86 that are no device's, as in bpf/wakeups.c.
const (
	vectorTimer = iota + 1
	vectorReschedule
	vectorCallFunction
	vectorCallFunctionSingle
	vectorIRQWork
)

// entrySize is the length of an entry in a record.
const entrySize = 16

// An event is one entry of a record; a switch holds its name entry as well.
type event struct {
	at   int64
	kind kind
	flag uint8
	prio uint16
	arg  uint32
	comm string
}

// A Wakeup is one wake-up of a measured thread, with all that its CPU did from
// the due time until the thread slept again.
type Wakeup struct {
	// Thread is the index of the thread among those traced.
	Thread int
	// Due, Fired and In are CLOCK_MONOTONIC ns: when the thread should have
	// woken, when its timer's handler was called, and when it was first switched
	// in. Fired and In are 0 when that did not happen.
	Due, Fired, In int64
	// NMI is the time in ns that non-maskable interrupts took meanwhile.
	NMI int64

	state  uint16
	events []event
}

// decode reads a record of the eBPF programs into w, whose memory it uses
// again. An error means that the record was torn.
func (w *Wakeup) decode(record []byte) error {
	events := w.events[:0]
	*w = Wakeup{}
	if len(record) < 2*entrySize || len(record)%entrySize != 0 {
		return fmt.Errorf("record of %d bytes", len(record))
	}
	order := binary.NativeEndian
	for b := record; len(b) > 0; b = b[entrySize:] {
		e := event{
			at: int64(order.Uint64(b)), arg: order.Uint32(b[8:]), prio: order.Uint16(b[12:]),
			flag: b[14], kind: kind(b[15]),
		}
		switch {
		case e.kind == 0 || e.kind >= kinds:
			return fmt.Errorf("record with an entry of kind %d", e.kind)
		case (e.kind == begin) != (len(b) == len(record)) || (e.kind == end) != (len(b) == entrySize):
			return fmt.Errorf("record with an entry of kind %d out of place", e.kind)
		case e.kind == begin:
			w.Due, w.Thread, w.state = e.at, int(e.arg), e.prio
		case e.kind == name:
			if n := len(events); n > 0 && events[n-1].kind == switched {
				events[n-1].comm = comm(b[:15])
			}
		default:
			events = append(events, e)
		}
	}
	w.events = events
	w.NMI = int64(events[len(events)-1].arg)
	// A wake-up by another CPU is entered late.
	if !slices.IsSortedFunc(events, byTime) {
		slices.SortStableFunc(events, byTime)
	}
	return nil
}

func byTime(a, b event) int { return int(max(-1, min(1, a.at-b.at))) }

func comm(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b)
}

// whole tells whether the events say how the thread came to run again. They
// don't where the kernel keeps what some process does from being traced.
func (w *Wakeup) whole() bool { return w.Fired != 0 || w.In != 0 }

// mark finds Fired and In among the events; tid is the thread's.
func (w *Wakeup) mark(tid uint32) {
	for i := range w.events {
		switch e := &w.events[i]; {
		case e.kind == fired:
			w.Fired = e.at
		case e.kind == switched && e.arg == tid && e.at >= w.Due && w.In == 0:
			w.In = e.at
		}
	}
}
