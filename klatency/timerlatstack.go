package klatency

import (
	"bytes"
	"cmp"
	"slices"

	"worstcase/results"
	"worstcase/results/foreign"
)

// stacksKept is how many stacks are kept of those that the kernel printed.
const stacksKept = 1000

// maxFrames bounds a stack; the kernel's own bound is 256.
const maxFrames = 64

// stacks reads the stacks in timerlat's trace: what the timer's interrupt met,
// printed behind the line of the thread's latency.
//
//	<...>-99      [000] .......     8.217522: #1     context thread timer_latency     10900 ns
//	<...>-99      [000] ....1..     8.217524: <stack trace>
//	 => timerlat_irq
//	 => __hrtimer_run_queues
type stacks struct {
	cpus []int
	last []stacked  // the latest sample of each CPU
	open *stacked   // whose frames come
	list []*stacked // with frames, those with the longest latency first
}

// A stacked is a sample with its stack.
type stacked struct {
	cpu      int // index
	number   int64
	due      int64
	irq      int64 // latency of the handler, ns
	latency  int64 // of the thread, ns; 0 when it has not been seen
	measured bool
	frames   []string
}

func newStacks(cpus []int) stacks { return stacks{cpus: cpus, last: make([]stacked, len(cpus))} }

// sample takes a sample, whose stack may follow.
func (s *stacks) sample(cpu int, t *foreign.TimerlatSample, measured bool) {
	last := &s.last[cpu]
	switch t.Context {
	case ContextIRQ:
		*last = stacked{cpu: cpu, number: t.Number, irq: t.Latency}
	case ContextThread:
		if last.number != t.Number {
			*last = stacked{cpu: cpu, number: t.Number}
		}
		last.due, last.latency, last.measured = t.Due(), t.Latency, measured
	}
}

// line takes a line and tells whether it was of a stack.
func (s *stacks) line(line []byte) bool {
	if frame, ok := bytes.CutPrefix(line, []byte(" => ")); ok {
		// Older kernels fill the rest up with zeros.
		if s.open != nil && len(s.open.frames) < maxFrames && string(frame) != "0" {
			s.open.frames = append(s.open.frames, string(frame))
		}
		return true
	}
	s.close()
	head, ok := bytes.CutSuffix(line, []byte(": <stack trace>"))
	if !ok {
		return false
	}
	cpu, _, _ := foreign.TraceHead(head)
	if i := slices.Index(s.cpus, cpu); i >= 0 && s.last[i].latency > 0 && s.last[i].measured {
		open := s.last[i]
		s.open, s.last[i].latency = &open, 0
	}
	return true
}

// close keeps the stack whose frames have come.
func (s *stacks) close() {
	if s.open == nil || len(s.open.frames) == 0 {
		s.open = nil
		return
	}
	i, _ := slices.BinarySearchFunc(s.list, s.open, func(a, b *stacked) int { return cmp.Compare(b.latency, a.latency) })
	s.list = slices.Insert(s.list, i, s.open)
	s.list = s.list[:min(len(s.list), stacksKept)]
	s.open = nil
}

// Spikes are the longest latencies with a stack, as many as were asked for.
func (s *Timerlat) Spikes() []results.Spike {
	s.stacks.close()
	var list []results.Spike
	for _, k := range s.stacks.list[:min(s.cfg.Stacks, len(s.stacks.list))] {
		spike := results.Spike{Series: s.series(s.cfg.CPUs[k.cpu], ContextThread), At: k.due - s.measured, Latency: k.latency, Stack: k.frames}
		if k.irq > 0 {
			spike.Stages = map[string]int64{"irq_ns": k.irq, "thread_ns": k.latency - k.irq}
		}
		list = append(list, spike)
	}
	return list
}

// Stack is what the interrupt of a timer due then met, nil when the kernel did
// not print it; series is that of a source with one context.
func (s *Timerlat) Stack(series int, due int64) []string {
	s.stacks.close()
	for _, k := range s.stacks.list {
		if d := k.due - due; k.cpu == series && d < int64(s.cfg.Period)/2 && d > -int64(s.cfg.Period)/2 {
			return k.frames
		}
	}
	return nil
}
