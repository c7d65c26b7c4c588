package importer

import (
	"bytes"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// A rtlaTop collects the last of the tables that a "top" prints.
type rtlaTop struct {
	draft  *foreign.Draft
	series map[string]*foreign.Series
	unit   time.Duration
}

// of returns the series of a CPU and context, which a table may show again.
func (r *rtlaTop) of(cpu, context string) *foreign.Series {
	key := cpu + " " + context
	s := r.series[key]
	if s == nil {
		labels := results.Labels{"cpu": cpu}
		if context != "" {
			labels["context"] = context
		}
		s = r.draft.Series(labels)
		if r.draft.Spend(200) {
			r.series[key] = s
		}
	}
	return s
}

// cpuColumns takes the start of a row, "  0 #2919": the CPU and a number.
func cpuColumns(line []byte) (cpu string, number int64, rest []byte, ok bool) {
	words, rest, ok := bytes.Cut(line, []byte{'#'})
	cpu = string(foreign.Clip(bytes.TrimSpace(words)))
	if _, err := foreign.ParseCount([]byte(cpu)); !ok || err != nil {
		return "", 0, nil, false
	}
	digits, rest, _ := bytes.Cut(rest, []byte{' '})
	number, err := foreign.ParseCount(digits)
	return cpu, number, rest, err == nil
}

// readTimerlatTop reads rtla timerlat top: current, least, mean and largest
// latency of the interrupt, the thread, and the return to user space.
//
//	0 00:00:06   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)
//	CPU COUNT      |      cur       min       avg       max |      cur       min       avg       max
//	  0 #2919      |       39        23       393     19954 |       ...
//
// The count is that of interrupts; the others' is not told.
func readTimerlatTop(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &rtlaTop{
		draft: foreign.NewDraft("timerlat", "rtla-timerlat-top", len(text)), series: map[string]*foreign.Series{},
	}
	var stop stopTracing
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		if i := bytes.LastIndexByte(line, 0x1b); i >= 0 && !bytes.Contains(line, []byte("Latency (")) {
			line = bytes.TrimPrefix(line[i+1:], []byte("c"))
		}
		stop.line(r.draft, line)
		if before, _, ok := bytes.Cut(line, []byte(" Timer Latency (")); ok {
			r.header(line, before)
			continue
		}
		if cpu, count, rest, ok := cpuColumns(line); ok && r.unit != 0 {
			r.timerlat(cpu, count, rest)
		}
	}
	if len(r.series) == 0 {
		return nil, foreign.ErrNoFigures
	}
	return []*foreign.Draft{r.draft}, nil
}

func (r *rtlaTop) header(line, before []byte) {
	duration, _, _ := bytes.Cut(before, []byte{'|'})
	r.draft.Seconds = daysClock(string(foreign.Clip(duration)))
	_, unit, _ := bytes.Cut(line, []byte("Latency ("))
	unit, _, _ = bytes.Cut(unit, []byte{')'})
	if u, err := foreign.ParseUnit(string(foreign.Clip(unit))); err == nil {
		r.unit = u
	}
}

func (r *rtlaTop) timerlat(cpu string, count int64, rest []byte) {
	contexts := []string{"", "irq", "thread", "user"}
	for i, part := range foreign.Cells(nil, rest) {
		words := bytes.Fields(part)
		if i == 0 || i >= len(contexts) || len(words) < 4 {
			continue
		}
		s := r.of(cpu, contexts[i])
		if i == 1 {
			s.Count(count)
		}
		for j, tell := range []func(ns float64){
			func(ns float64) { s.Min(int64(ns)) }, s.Mean, func(ns float64) { s.Max(int64(ns)) },
		} {
			if ns, err := foreign.ParseTimeF(words[j+1], r.unit); err == nil {
				tell(ns)
			}
		}
	}
}

// readOsnoiseTop reads rtla osnoise top and rtla hwnoise. The maximum is that of
// a single noise; the others of its figures stand under "after":
//
//	duration:   0 00:00:05 | time is in us
//	CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single          HW          NMI          IRQ      Softirq       Thread
//	  0 #4           4006851      3602528    10.09079      933760        47691       11042            0          985            0          303
func readOsnoiseTop(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &rtlaTop{
		draft: foreign.NewDraft("osnoise", "rtla-osnoise-top", len(text)), series: map[string]*foreign.Series{},
	}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		if i := bytes.LastIndex(line, []byte("\x1bc")); i >= 0 {
			line = line[i+2:]
		}
		if bytes.Contains(line, []byte("Hardware-related Noise")) {
			r.draft.Header.Tool = "hwnoise"
		}
		if rest, ok := bytes.CutPrefix(line, []byte("duration:")); ok {
			duration, unit, _ := strings.Cut(string(rest[:min(len(rest), 100)]), "|")
			r.draft.Seconds = daysClock(duration)
			if strings.Contains(unit, "in us") {
				r.unit = time.Microsecond
			}
		}
		if cpu, periods, rest, ok := cpuColumns(line); ok && r.unit != 0 {
			r.osnoise(cpu, periods, rest)
		}
	}
	if len(r.series) == 0 {
		return nil, foreign.ErrNoFigures
	}
	return []*foreign.Draft{r.draft}, nil
}

func (r *rtlaTop) osnoise(cpu string, periods int64, rest []byte) {
	words := bytes.Fields(rest)
	if len(words) < 7 {
		return
	}
	ns, err := foreign.ParseTime(words[4], r.unit)
	if err != nil {
		return
	}
	r.of(cpu, "").Max(ns)
	if !r.draft.Spend(1000) {
		return
	}
	r.draft.After["periods.cpu"+cpu] = float64(periods)
	names := []string{
		"runtime_ns", "noise_ns", "available_percent", "max_noise_ns", "max_single_ns", "hw", "nmi", "irq", "softirq", "thread",
	}
	for i, name := range names[:min(len(names), len(words))] {
		unit := time.Duration(1)
		if strings.HasSuffix(name, "_ns") {
			unit = r.unit
		}
		if v, err := foreign.ParseTimeF(words[i], unit); err == nil {
			r.draft.After[name+".cpu"+cpu] = v
		}
	}
}
