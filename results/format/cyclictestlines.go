package format

import (
	"bytes"
	"strconv"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// A cyclicThread is what is known of one thread.
type cyclicThread struct {
	series        *foreign.Series
	prio          string
	interval      int64 // us
	count         int64
	min, avg, max float64
	tid, last     int64 // 0 when unknown
	has           bool  // count, min, avg and max are known
	over          int64
	hasOver       bool
	samples       foreign.List[foreign.Bucket] // -v
	worst         foreign.Bucket               // -v: cycle and value
}

// thread returns thread i, made with all before it if need be. After an error
// it returns one that counts for nothing.
func (r *cyclictestText) thread(i int64) *cyclicThread {
	if i < 0 || i > 1<<16 {
		r.draft.Fail(foreign.ErrSize)
		return &cyclicThread{}
	}
	for int64(len(r.threads)) <= i && r.draft.Err() == nil {
		label := results.Labels{"thread": strconv.Itoa(len(r.threads))}
		r.threads = append(r.threads, &cyclicThread{series: r.draft.Series(label)})
	}
	if r.draft.Err() != nil {
		return &cyclicThread{}
	}
	return r.threads[i]
}

// afterEscape cuts what moves the cursor up before a line is printed anew.
func afterEscape(line []byte) []byte {
	if i := bytes.LastIndexByte(line, 0x1b); i >= 0 {
		line = line[i+1:]
		if end := bytes.IndexAny(line, "ABCDHJK"); end >= 0 {
			line = line[end+1:]
		}
	}
	return line
}

// command takes a shell prompt's line, if it runs cyclictest.
func (r *cyclictestText) command(line []byte) {
	argv := foreign.ParseArgv(string(line[2:]))
	if argv.Program() != "cyclictest" {
		return
	}
	r.draft.Set(results.ConfigCommand, string(clipLine(line[2:])))
	r.unit = time.Microsecond
	if argv.Has('N', "nsecs") {
		r.unit = time.Nanosecond
	}
}

// threadLine takes
//
//	T: 0 (11767) P:80 I:1000 C:   2000 Min:     13 Act:   15 Avg:   20 Max:      66
//
// or, from --spike, "T: 0 Spike:      87: TS:    627224990" with TS in us.
func (r *cyclictestText) threadLine(line []byte) error {
	fields := keyed(line)
	id, err := foreign.ParseCount(fields("T:"))
	if err != nil {
		return nil
	}
	if spike := fields("Spike:"); spike != nil {
		return r.spike(id, bytes.TrimSuffix(spike, []byte(":")), fields("TS:"))
	}
	t := r.thread(id)
	count, err := foreign.ParseCount(fields("C:"))
	if err != nil {
		return nil // torn
	}
	values := [3]float64{}
	for i, key := range []string{"Min:", "Avg:", "Max:"} {
		if values[i], err = foreign.ParseTimeF(fields(key), 1); err != nil {
			return nil // torn, or a run of which this is not known
		}
	}
	t.count, t.min, t.avg, t.max, t.has = count, values[0], values[1], values[2], true
	t.prio = string(fields("P:"))
	t.interval, _ = foreign.ParseCount(fields("I:"))
	_, tid, _ := bytes.Cut(line, []byte{'('})
	tid, _, _ = bytes.Cut(tid, []byte{')'})
	t.tid, _ = foreign.ParseCount(bytes.TrimSpace(tid))
	t.last, _ = foreign.ParseCount(fields("Act:"))
	r.signal = fields("I:") == nil
	if width := fieldWidth(line, "Act:"); width == 8 && r.unit == 0 {
		r.unit = time.Nanosecond
	} else if width > 0 && width < 8 && r.unit == 0 {
		r.unit = time.Microsecond
	}
	return nil
}

// keyed finds the word that follows a key in line.
func keyed(line []byte) func(key string) []byte {
	return func(key string) []byte {
		i := bytes.Index(line, []byte(key))
		if i < 0 || (i > 0 && line[i-1] != ' ') {
			return nil
		}
		rest := bytes.TrimLeft(line[i+len(key):], " ")
		word, _, _ := bytes.Cut(rest, []byte{' '})
		return word
	}
}

// fieldWidth is the width that printf gave the number after key, without the
// space before it; 0 when the number fills it, so that it can't be told.
func fieldWidth(line []byte, key string) int {
	i := bytes.Index(line, []byte(key))
	if i < 0 {
		return 0
	}
	rest := line[i+len(key):]
	number := bytes.TrimLeft(rest, " ")
	padding := len(rest) - len(number)
	word, _, _ := bytes.Cut(number, []byte{' '})
	if len(word) >= 8 && padding == 0 {
		return 0
	}
	return padding + len(word)
}

func (r *cyclictestText) spike(id int64, value, at []byte) error {
	v, err := foreign.ParseCount(value)
	if err != nil || v > results.Highest {
		return nil
	}
	ts, err := foreign.ParseTime(at, time.Microsecond)
	if err != nil {
		return nil
	}
	t := r.thread(id)
	if r.draft.Spend(100) {
		r.spikes = append(r.spikes, results.Spike{Series: t.series.ID, At: ts, Latency: v})
	}
	return nil
}

// verboseInterval takes "Thread 0 Interval: 1500".
func (r *cyclictestText) verboseInterval(line []byte) error {
	words := bytes.Fields(line)
	if len(words) != 4 || string(words[2]) != "Interval:" {
		return nil
	}
	id, err := foreign.ParseCount(words[1])
	if err != nil {
		return nil
	}
	interval, err := foreign.ParseCount(words[3])
	if err != nil {
		return nil
	}
	r.thread(id).interval = interval
	return nil
}

// verbose takes a line of -v: thread, cycle, latency.
func (r *cyclictestText) verbose(line []byte) {
	var v [3]int64
	for i, field := range bytes.SplitN(line, []byte{':'}, 3) {
		n, err := foreign.ParseCount(bytes.TrimSpace(field))
		if err != nil || n > results.Highest {
			return
		}
		v[i] = n
	}
	t := r.thread(v[0])
	if !r.draft.Spend(40) {
		return
	}
	t.samples.Append(foreign.Bucket{NS: v[2], N: 1})
	if t.samples.Len() == 1 || v[2] > t.worst.N {
		t.worst = foreign.Bucket{NS: v[1], N: v[2]}
	}
}
