package klatency

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A timerlatSample is one line of the timerlat tracer.
type timerlatSample struct {
	cpu     int
	at      int64 // when the line was written, ns of the trace's clock, to 1 us
	number  uint64
	context string // irq, thread, user-ret
	latency int64  // ns
}

// due is when the timer should have expired, to about 1 us.
func (t *timerlatSample) due() int64 { return t.at - t.latency }

// parseTimerlat reads a line such as
//
//	<idle>-0       [001] dNh1.   225.569957: #293   context    irq timer_latency    855383 ns
//
// of Documentation/trace/timerlat-tracer.rst; other lines are not ok.
func parseTimerlat(line string) (t timerlatSample, ok bool) {
	head, tail, found := strings.Cut(line, ": #")
	if !found {
		return t, false
	}
	_, head, found = cutLast(head, " [")
	if !found {
		return t, false
	}
	fields := strings.Fields(head)
	if len(fields) < 2 {
		return t, false
	}
	cpu, err1 := strconv.Atoi(strings.TrimSuffix(fields[0], "]"))
	at, err2 := seconds(fields[len(fields)-1])
	words := strings.Fields(tail)
	if len(words) != 6 || words[1] != "context" || words[3] != "timer_latency" || words[5] != "ns" {
		return t, false
	}
	number, err3 := strconv.ParseUint(words[0], 10, 64)
	latency, err4 := strconv.ParseInt(words[4], 10, 64)
	if errors.Join(err1, err2, err3, err4) != nil || cpu < 0 {
		return t, false
	}
	return timerlatSample{cpu, at, number, words[2], latency}, true
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// seconds reads 225.569957 as ns.
func seconds(s string) (int64, error) {
	whole, part, _ := strings.Cut(s, ".")
	sec, err := strconv.ParseInt(whole, 10, 33)
	if err != nil || len(part) != 6 {
		return 0, errors.New("no time")
	}
	us, err := strconv.ParseUint(part, 10, 32)
	return sec*1e9 + int64(us)*1000, err
}

// lines cuts what a pipe gives into lines.
type lines struct {
	rest []byte
}

// read reads all that the pipe has now, without waiting, and calls f with each
// whole line.
func (l *lines) read(pipe int, f func(line string)) error {
	chunk := make([]byte, 1<<16)
	for {
		n, err := unix.Read(pipe, chunk)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN, err == nil && n == 0:
			return nil
		case err != nil:
			return err
		}
		l.rest = append(l.rest, chunk[:n]...)
		for {
			line, after, found := bytes.Cut(l.rest, []byte("\n"))
			if !found {
				break
			}
			f(string(line))
			l.rest = after
		}
	}
}
