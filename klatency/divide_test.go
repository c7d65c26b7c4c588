package klatency

import (
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	ourTID = 50
	due    = 1000
)

// record encodes entries as the eBPF programs do; at is relative to the due time.
func record(entries ...event) []byte {
	var b []byte
	for _, e := range entries {
		if e.kind != name {
			b = binary.NativeEndian.AppendUint64(b, uint64(due+e.at))
			b = binary.NativeEndian.AppendUint32(b, e.arg)
			b = binary.NativeEndian.AppendUint16(b, e.prio)
			b = append(b, e.flag, byte(e.kind))
			continue
		}
		text := make([]byte, 15)
		copy(text, e.comm)
		b = append(append(b, text...), byte(name))
	}
	return b
}

func asleep() event             { return event{kind: begin, prio: interruptible} }
func on(at int64, k kind) event { return event{at: at, kind: k} }
func ours(at int64) event       { return event{at: at, kind: switched, arg: ourTID, prio: 0, flag: 1} }
func named(comm string) event   { return event{kind: name, comm: comm} }
func timerIn(at int64) event    { return event{at: at, kind: vectorIn, arg: 236, flag: vectorTimer} }

func timerOut(at int64) event    { return event{at: at, kind: vectorOut, arg: 236, flag: vectorTimer} }
func idleThread(at int64) event  { return event{at: at, kind: switched, prio: 120} }
func irq(at int64, k kind) event { return event{at: at, kind: k, arg: 4000} }
func other(at int64, prio uint16, policy uint8) event {
	return event{at: at, kind: switched, arg: 812, prio: prio, flag: policy}
}

var wakeups = []struct {
	name   string
	record []byte
	end    int64
	want   Durations
	blamed string
}{
	{
		name: "on an idle CPU",
		record: record(asleep(), idleThread(-800), named("swapper/1"), on(-700, idleIn),
			timerIn(20), on(25, fired), timerOut(40), on(45, idleOut), ours(60), on(90, end)),
		end:  80,
		want: Durations{Interrupt: 20, Timer: 5, Handler: 15, Idle: 5, Switch: 15, Return: 20},
	},
	{
		name: "out of idle before the interrupt",
		record: record(asleep(), idleThread(-800), named("swapper/1"), on(-700, idleIn),
			on(10, idleOut), timerIn(20), on(25, fired), timerOut(40), ours(60), on(90, end)),
		end:  80,
		want: Durations{Interrupt: 20, Timer: 5, Handler: 15, Switch: 20, Return: 20},
	},
	{
		name: "a thread of higher priority",
		record: record(asleep(), other(-10, 0, 1), named("hog"),
			timerIn(20), on(25, fired), timerOut(40), ours(5000), on(5090, end)),
		end:    5020,
		want:   Durations{Interrupt: 20, Timer: 5, Handler: 15, RunQueue: 4960, Return: 20},
		blamed: "thread hog (pid 812, SCHED_FIFO 99)",
	},
	{
		name: "preemption off in a thread of lower priority",
		record: record(asleep(), other(-10, 120, 0), named("writer"),
			timerIn(20), on(25, fired), timerOut(40), ours(5000), on(5090, end)),
		end:    5020,
		want:   Durations{Interrupt: 20, Timer: 5, Handler: 15, RunQueue: 4960, Return: 20},
		blamed: "preemption off in thread writer (pid 812, SCHED_OTHER nice 0)",
	},
	{
		name: "interrupts off in a thread",
		record: record(asleep(), other(-10, 120, 0), named("writer"),
			timerIn(4000), on(4005, fired), timerOut(4010), ours(4020), on(4090, end)),
		end:    4030,
		want:   Durations{Interrupt: 4000, Timer: 5, Handler: 5, RunQueue: 10, Return: 10},
		blamed: "interrupts off, or a hypervisor gap, in thread writer (pid 812, SCHED_OTHER nice 0)",
	},
	{
		name: "a gap while nothing ran",
		record: record(asleep(), idleThread(-800), named("swapper/1"), on(-700, idleIn),
			timerIn(4000), on(4005, fired), timerOut(4010), on(4012, idleOut), ours(4020), on(4090, end)),
		end:    4030,
		want:   Durations{Interrupt: 4000, Timer: 5, Handler: 5, Idle: 2, Switch: 8, Return: 10},
		blamed: "interrupt late on an idle CPU (hypervisor, firmware or idle state)",
	},
	{
		name: "a device's handler that began before",
		record: record(asleep(), idleThread(-800), named("swapper/1"), irq(-100, irqIn), irq(3000, irqOut),
			timerIn(3010), on(3015, fired), timerOut(3020), ours(3030), on(3090, end)),
		end:    3040,
		want:   Durations{Interrupt: 10, Timer: 5, Handler: 5, IRQ: 3000, Switch: 10, Return: 10},
		blamed: "irq 4000",
	},
	{
		name: "softirqs at the end of the interrupt, an interrupt within",
		record: record(asleep(), idleThread(-800), named("swapper/1"), on(-700, idleIn), timerIn(10), on(15, fired),
			timerOut(20), event{at: 22, kind: softirqIn, arg: 3}, irq(500, irqIn), irq(600, irqOut),
			event{at: 3000, kind: softirqOut, arg: 3}, on(3001, idleOut), ours(3030), on(3090, end)),
		end:    3040,
		want:   Durations{Interrupt: 10, Timer: 5, Handler: 5, IRQ: 100, Softirq: 2878, Idle: 3, Switch: 29, Return: 10},
		blamed: "softirq NET_RX",
	},
	{
		name: "a storm of timers",
		record: record(asleep(), idleThread(-800), named("swapper/1"), timerIn(10), on(3000, fired),
			timerOut(3020), ours(3030), on(3090, end)),
		end:    3040,
		want:   Durations{Interrupt: 10, Timer: 2990, Handler: 20, Switch: 10, Return: 10},
		blamed: "timer interrupts",
	},
	{
		name: "stopped by a signal before its time",
		record: record(event{kind: begin, prio: 4}, idleThread(-800), named("swapper/1"), on(-700, idleIn),
			timerIn(300), timerOut(310), event{at: 5000, kind: waking}, on(5010, idleOut), ours(5020), on(5090, end)),
		end:    5040,
		want:   Durations{Idle: 10, Switch: 10, Return: 20, Stopped: 5000},
		blamed: "stopped by a signal, or blocked",
	},
	{
		name: "preempted after it was switched in",
		record: record(asleep(), idleThread(-800), named("swapper/1"), timerIn(10), on(15, fired), timerOut(20),
			ours(30), on(40, left), other(40, 0, 1), named("hog"), ours(5000), on(5090, end)),
		end:    5040,
		want:   Durations{Interrupt: 10, Timer: 5, Handler: 5, RunQueue: 4960, Switch: 10, Return: 50},
		blamed: "thread hog (pid 812, SCHED_FIFO 99)",
	},
	{
		name: "woken by another CPU's timer",
		record: record(asleep(), idleThread(-800), named("swapper/1"), on(-700, idleIn), on(100, idleOut),
			on(20, fired), on(30, waking), ours(120), on(190, end)),
		end:  140,
		want: Durations{Interrupt: 20, Idle: 80, Switch: 20, Return: 20},
	},
	{
		name: "more events than are kept",
		record: record(asleep(), idleThread(-800), named("swapper/1"), irq(10, irqIn), irq(20, irqOut), on(30, missed),
			on(3000, fired), ours(3030), on(3090, end)),
		end:    3040,
		want:   Durations{Interrupt: 20, IRQ: 10, Return: 10, Unknown: 3000},
		blamed: "unknown",
	},
	{
		name:   "events of the way back are missing",
		record: record(asleep(), other(-10, 120, 0), named("agent"), on(90, end)),
		end:    40,
		want:   Durations{Unknown: 40},
	},
	{
		name: "the timer fired before the thread slept",
		record: record(event{kind: begin}, ours(15), named(""), on(15, fired), ours(15), timerOut(20),
			on(90, end)),
		end:  40,
		want: Durations{Interrupt: 15, Return: 25},
	},
	{
		name:   "events that end before the sample",
		record: record(asleep(), idleThread(-800), named("swapper/1"), timerIn(10), on(15, fired), on(20, end)),
		end:    40,
		want:   Durations{Interrupt: 10, Timer: 5, Handler: 5, Unknown: 20},
	},
}

func TestDivide(t *testing.T) {
	typical := Durations{Interrupt: 20, Timer: 5, Handler: 15, Idle: 5, Switch: 15, Return: 20}
	for _, test := range wakeups {
		t.Run(test.name, func(t *testing.T) {
			var w Wakeup
			if err := w.decode(test.record); err != nil {
				t.Fatal(err)
			}
			w.mark(ourTID)
			var d Division
			w.Divide(ourTID, due+test.end, true, &d)
			if diff := cmp.Diff(test.want, d.Durations); diff != "" {
				t.Errorf("stages (-want +got):\n%s", diff)
			}
			if d.Total() != test.end {
				t.Errorf("stages add up to %d, the sample is %d", d.Total(), test.end)
			}
			var shares int64
			for _, s := range d.Shares {
				shares += s.Nanoseconds
			}
			if want := test.end - d.Durations[Unknown]; shares != want && shares != test.end {
				t.Errorf("shares add up to %d, want %d", shares, want)
			}
			if got := d.Blame(&typical); got != test.blamed {
				t.Errorf("blamed %q, want %q", got, test.blamed)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		record []byte
	}{
		{"nothing", nil},
		{"half an entry", record(asleep(), on(1, end))[:24]},
		{"no begin", record(idleThread(0), on(1, end))},
		{"no end", record(asleep(), idleThread(0))},
		{"two begins", record(asleep(), asleep(), on(1, end))},
		{"an unknown kind", record(asleep(), on(1, kinds), on(2, end))},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := new(Wakeup).decode(test.record); err == nil {
				t.Error("taken")
			}
		})
	}
}

func FuzzDivide(f *testing.F) {
	f.Fuzz(func(t *testing.T, record []byte, late int64) {
		var w Wakeup
		if w.decode(record) != nil || late < 0 || w.Due < 0 || w.Due+late < 0 {
			return
		}
		w.mark(ourTID)
		var d Division
		w.Divide(ourTID, w.Due+late, true, &d)
		if d.Total() != late {
			t.Errorf("stages add up to %d, the sample is %d", d.Total(), late)
		}
		d.Blame(&Durations{})
	})
}
