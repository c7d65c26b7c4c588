package importer

import (
	"bytes"
	"fmt"
	"path"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// sniffRTTests accepts the --json output of rt-tests, whose keys really end in
// a colon.
func sniffRTTests(head []byte) bool {
	return bytes.Contains(head, []byte(`"rt_test_version:"`)) ||
		bytes.Contains(head, []byte(`"file_version"`)) && bytes.Contains(head, []byte(`"cmdline:"`))
}

// An rtTest is a --json document of rt-tests, file_version 1, while it is read.
type rtTest struct {
	draft   *foreign.Draft
	argv    foreign.Argv
	unit    time.Duration // of latencies; 0 when the document does not tell
	started time.Time
	ended   time.Time
	threads foreign.List[rtThread]
}

// An rtThread is one member of "thread". Figures are as in the text: their unit
// may stand after them.
type rtThread struct {
	id                     string
	cpu                    string
	prio, interval         int64
	cycles, timeouts       int64
	hasCycles, hasInterval bool
	min, avg, max          []byte // nil when absent or -nan
	seconds                float64
	histogram              foreign.List[foreign.Bucket] // in units
}

// readRTTests reads the --json output of any program of rt-tests 2.x.
func readRTTests(text []byte, o foreign.Options) ([]*foreign.Draft, error) {
	t := &rtTest{draft: foreign.NewDraft("", "rt-tests-json", len(text))}
	s := foreign.NewScanner(text)
	s.Object(func(key []byte) { t.member(s, string(key)) })
	if s.Err() != nil {
		return nil, s.Err()
	}
	if err := t.draft.Err(); err != nil {
		return nil, err
	}
	if err := t.finish(o); err != nil {
		return nil, err
	}
	return []*foreign.Draft{t.draft}, nil
}

// member takes one member of the document.
func (t *rtTest) member(s *foreign.Scanner, key string) {
	d := t.draft
	switch key {
	case "cmdline:":
		line := s.RestOfLine()
		t.argv = foreign.ParseArgv(line)
		d.Set(results.ConfigCommand, line[:min(len(line), 1000)])
	case "rt_test_version:":
		d.Set("version", s.Text())
	case "start_time":
		t.started, _ = time.Parse(time.RFC1123Z, s.Text())
	case "end_time":
		t.ended, _ = time.Parse(time.RFC1123Z, s.Text())
	case "return_code":
		if n := s.Number(); n != nil && string(n) != "0" {
			d.Warn("the program ended with return code %s", n)
		}
	case "sysinfo":
		s.Object(func(key []byte) { t.sysinfo(s, string(key)) })
	case "resolution_in_ns":
		switch string(s.Number()) {
		case "0":
			t.unit = time.Microsecond
		case "1":
			t.unit = time.Nanosecond
		}
	case "inversion":
		if n, ok := s.Count(); ok {
			d.After["inversions"] = float64(n)
		}
	case "thread":
		s.Object(func(key []byte) { t.thread(s, key) })
	default:
		s.Skip()
	}
}

// sysinfo takes a member of "sysinfo". It passes "realtime" by: that is 0 on
// kernels that can be made preemptible at boot.
func (t *rtTest) sysinfo(s *foreign.Scanner, key string) {
	facts := map[string]string{
		"sysname": "kernel.name", "nodename": "kernel.hostname", "release": "kernel.release",
		"version": "kernel.version", "machine": "kernel.machine",
	}
	if fact := facts[key]; fact != "" {
		t.draft.Fact(fact, s.Text())
		return
	}
	s.Skip()
}

func (t *rtTest) thread(s *foreign.Scanner, id []byte) {
	if !t.draft.Spend(600 + len(id)) {
		s.Skip()
		return
	}
	thread := t.threads.Append(rtThread{id: string(id)})
	s.Object(func(key []byte) { t.figure(s, thread, string(key)) })
}

// figure takes a member of a thread, or of its "sender" and "receiver".
func (t *rtTest) figure(s *foreign.Scanner, th *rtThread, key string) {
	switch key {
	case "sender", "receiver":
		s.Object(func(key []byte) { t.figure(s, th, string(key)) })
	case "cpu":
		th.cpu = string(s.Number())
	case "prio", "priority":
		th.prio, _ = s.Count()
	case "interval":
		th.interval, th.hasInterval = s.Count()
	case "cycles", "samples":
		th.cycles, th.hasCycles = s.Count()
	case "timeoutcount":
		th.timeouts, _ = s.Count()
	case "min":
		th.min = s.Number()
	case "avg":
		th.avg = s.Number()
	case "max":
		th.max = s.Number()
	case "duration":
		if ns, err := foreign.ParseTimeF(s.Number(), time.Second); err == nil {
			th.seconds = ns / 1e9
		}
	case "histogram":
		s.Object(func(key []byte) { t.bucket(s, th, key) })
	default:
		s.Skip()
	}
}

func (t *rtTest) bucket(s *foreign.Scanner, th *rtThread, key []byte) {
	value, err := foreign.ParseCount(key)
	n, ok := s.Count()
	if err == nil && value > results.Highest {
		err = fmt.Errorf("bucket %d is out of range", value)
	}
	if t.draft.Fail(err); ok && t.draft.Spend(20) {
		th.histogram.Append(foreign.Bucket{NS: value, N: n})
	}
}

// finish decides the unit and makes the series.
func (t *rtTest) finish(o foreign.Options) error {
	d, program := t.draft, path.Base(t.argv.Program())
	if program == "." {
		program = "rt-tests"
	}
	d.Header.Tool = program
	switch program {
	case "pmqtest", "ptsematest", "svsematest", "sigwaittest", "signaltest", "oslat", "rt-migrate-test", "pi_stress":
		t.unit = time.Microsecond // always; these have no resolution_in_ns
	}
	if t.unit == 0 {
		t.unit = o.Unit
	}
	if t.unit == 0 {
		return foreign.ErrUnit
	}
	d.Header.Started = t.started
	if !t.started.IsZero() && t.ended.After(t.started) {
		d.Seconds = t.ended.Sub(t.started).Seconds()
	}
	t.options()
	labels := t.labels()
	for i, th := range t.threads.All() {
		s := d.Series(labels[i])
		if program == "oslat" {
			t.oslat(s, th)
			continue
		}
		t.series(s, th)
	}
	if t.threads.Len() == 0 && len(d.After) == 0 {
		return foreign.ErrNoFigures
	}
	return nil
}

// options notes what the command line and the threads tell of the run. Commands
// of worstcase, whose runs are exported in this form, have Xenomai's letters.
func (t *rtTest) options() {
	d, first := t.draft, t.threads.First()
	interval, prio := [2]string{"i", "interval"}, [2]string{"p", "prio"}
	switch d.Header.Tool {
	case "latency", "klatency", "switchbench":
		interval, prio = [2]string{"p", "period"}, [2]string{"P", "priority"}
	}
	if us, ok := t.argv.Int(interval[0][0], interval[1]); ok {
		d.Set(results.ConfigPeriod, us*1000)
	} else if first != nil && first.hasInterval && first.interval < results.Highest {
		d.Set(results.ConfigPeriod, first.interval*1000)
	}
	if n, ok := t.argv.Int(prio[0][0], prio[1]); ok {
		d.Set(results.ConfigPriority, n)
	} else if first != nil && first.prio > 0 {
		d.Set(results.ConfigPriority, first.prio)
	}
}

// labels are those of the threads: the CPU where each has one of its own, else
// the thread.
func (t *rtTest) labels() []results.Labels {
	seen := map[string]bool{}
	own := true
	for _, th := range t.threads.All() {
		cpu := th.cpu
		own = own && cpu != "" && cpu[0] != '-' && !seen[cpu]
		seen[cpu] = true
	}
	list := make([]results.Labels, t.threads.Len())
	for i, th := range t.threads.All() {
		if own {
			list[i] = results.Labels{"cpu": th.cpu}
		} else {
			list[i] = results.Labels{"thread": th.id}
		}
	}
	return list
}

// series fills the series of a thread. One without cycles says "min 1000000,
// avg -nan".
func (t *rtTest) series(s *foreign.Series, th *rtThread) {
	if th.hasCycles {
		s.Count(th.cycles)
		if th.cycles == 0 {
			return
		}
	}
	t.extremes(s, th)
	for _, b := range th.histogram.All() {
		ns := b.NS * int64(t.unit)
		s.Bucket(ns, ns, b.N)
	}
	if th.timeouts > 0 {
		t.draft.After["timeouts.thread"+th.id] = float64(th.timeouts)
	}
}

// extremes tells minimum, mean and maximum.
func (t *rtTest) extremes(s *foreign.Series, th *rtThread) {
	for _, f := range []struct {
		text []byte
		tell func(ns float64)
	}{
		{th.min, func(ns float64) { s.Min(int64(ns)) }},
		{th.avg, s.Mean},
		{th.max, func(ns float64) { s.Max(int64(ns)) }},
	} {
		if f.text == nil {
			continue
		}
		ns, err := foreign.ParseTimeF(f.text, t.unit)
		if err != nil {
			t.draft.Fail(err)
			return
		}
		f.tell(ns)
	}
}
