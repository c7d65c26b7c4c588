package klatency

import (
	"errors"
	"strconv"
	"strings"

	"worstcase/results/foreign"
)

// An osnoiseEvent is one line of the osnoise events.
type osnoiseEvent struct {
	cpu             int
	name            string // irq_noise, thread_noise, sample_threshold, …
	what            string // the thread's or handler's name
	id              int    // its number
	start, duration int64  // ns; the start to 1 us
	interferences   int64
}

// parseOsnoise reads lines such as
//
//	osnoise/0-970 [000] d.h..  225.569957: irq_noise: local_timer:236 start 225.569950123 duration 4050 ns
//	osnoise/0-970 [000] .....  225.570051: sample_threshold: start 225.570040000 duration 9812 ns interference 2
//
// of include/trace/events/osnoise.h; other lines are not ok. A line is written
// when what it tells of ends. The start that it names is of another clock than
// the trace's, the scheduler's own, which may be apart by any time: ours is the
// line's date less the duration.
func parseOsnoise(line string) (e osnoiseEvent, ok bool) {
	head, tail, found := strings.Cut(line, "start ")
	if !found {
		return e, false
	}
	i := strings.LastIndex(head, " [")
	if i < 0 {
		return e, false
	}
	fields := strings.Fields(head[i+2:])
	// [CPU], flags, time, event, and but for gaps who it was, with spaces perhaps.
	if len(fields) < 4 {
		return e, false
	}
	cpu, err1 := strconv.Atoi(strings.TrimSuffix(fields[0], "]"))
	e.cpu, e.name = cpu, strings.TrimSuffix(fields[3], ":")
	if len(fields) > 4 {
		who := strings.Join(fields[4:], " ")
		colon := strings.LastIndex(who, ":")
		if colon < 0 {
			return e, false
		}
		id, err := strconv.Atoi(who[colon+1:])
		if err != nil {
			return e, false
		}
		e.what, e.id = who[:colon], id
	}
	words := strings.Fields(tail)
	if len(words) < 4 || words[1] != "duration" || words[3] != "ns" {
		return e, false
	}
	at, err2 := foreign.ParseDate([]byte(strings.TrimSuffix(fields[2], ":")))
	duration, err3 := strconv.ParseInt(words[2], 10, 64)
	var err4 error
	if len(words) == 6 {
		e.interferences, err4 = strconv.ParseInt(words[5], 10, 64)
	}
	e.start, e.duration = at-duration, duration
	return e, errors.Join(err1, err2, err3, err4) == nil && cpu >= 0 && duration >= 0 && e.start >= 0
}
