package foreign

import (
	"bytes"
	"strconv"
	"time"
)

// A TimerlatSample is one line of the kernel's timerlat tracer.
type TimerlatSample struct {
	CPU int
	// At is when the line was written, in ns of the trace's clock; to 1 us.
	At int64
	// Number counts the timer's expiries.
	Number int64
	// Context is what was late: irq, thread or user.
	Context string
	Latency int64 // ns
}

// Due is when the timer should have expired, as exactly as At.
func (s *TimerlatSample) Due() int64 { return s.At - s.Latency }

// ParseTimerlat reads a line such as
//
//	<idle>-0       [001] dNh1.   225.569957: #293   context    irq timer_latency    855383 ns
//
// of Documentation/trace/timerlat-tracer.rst; other lines are not ok. What the
// kernel calls user-ret is the context user.
func ParseTimerlat(line []byte) (s TimerlatSample, ok bool) {
	head, rest, ok := bytes.Cut(line, []byte(": #"))
	words := bytes.Fields(rest)
	if !ok || len(words) != 6 || string(words[1]) != "context" || string(words[3]) != "timer_latency" || string(words[5]) != "ns" {
		return s, false
	}
	if s.CPU, s.At, ok = TraceHead(head); !ok {
		return s, false
	}
	var err error
	if s.Number, err = ParseCount(words[0]); err != nil {
		return s, false
	}
	if s.Context = string(Clip(words[2])); s.Context == "user-ret" {
		s.Context = "user"
	}
	s.Latency, err = ParseTime(words[4], time.Nanosecond)
	return s, err == nil
}

// TraceHead reads what stands before the colon of a line of the kernel's trace,
// TASK-PID [CPU] FLAGS TIMESTAMP: the CPU, and the time in ns. The task's name
// may hold anything.
func TraceHead(head []byte) (cpu int, at int64, ok bool) {
	i := bytes.LastIndex(head, []byte(" ["))
	if i < 0 {
		return 0, 0, false
	}
	words := bytes.Fields(head[i+2:])
	if len(words) < 2 {
		return 0, 0, false
	}
	cpu, err := strconv.Atoi(string(bytes.TrimSuffix(words[0], []byte{']'})))
	if err != nil || cpu < 0 {
		return 0, 0, false
	}
	at, err = ParseDate(words[len(words)-1])
	return cpu, at, err == nil
}
