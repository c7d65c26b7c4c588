package importer

import (
	"bytes"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// A stopTracing reads what rtla appends when it stopped at a latency: for each
// CPU that was late, what the time went to.
//
//	rtla timerlat hit stop tracing
//	## CPU 1 hit stop tracing, analyzing it ##
//	  IRQ handler delay:                       2.15 us (0.07 %)
//	  Blocking thread:                      3000.10 us (98.81 %)
//	                  stress-ng:1234        3000.10 us
//	  Thread latency:                       3036.35 us (100%)
type stopTracing struct {
	spike    *results.Spike
	blocking bool
}

// line takes a line and tells whether it belongs to the analysis.
func (a *stopTracing) line(d *foreign.Draft, line []byte) bool {
	if bytes.Contains(line, []byte("hit stop tracing")) {
		if !bytes.HasPrefix(line, []byte("## CPU ")) {
			d.Warn("stopped by a latency above its limit, which the text does not tell")
			return !bytes.HasPrefix(line, []byte("ALL"))
		}
		cpu, _, _ := bytes.Cut(line[len("## CPU "):], []byte{' '})
		a.spike = &results.Spike{
			Series: d.Find(results.Labels{"cpu": string(foreign.Clip(cpu)), "context": "thread"}),
			Stages: map[string]int64{},
		}
		return true
	}
	if a.spike == nil {
		return false
	}
	name, ns, ok := stage(line)
	switch {
	case !ok:
	case name == "Thread latency":
		a.spike.Latency = ns
		d.Spike(*a.spike)
		a.spike, a.blocking = nil, false
	case a.blocking:
		a.spike.Blamed, a.blocking = name, false
	case len(a.spike.Stages) < 16:
		a.spike.Stages[strings.ReplaceAll(strings.ToLower(name), " ", "_")] = ns
		a.blocking = name == "Blocking thread"
	}
	return true
}

// stage reads "name: 12.34 us (5 %)", of which the percentage may be missing.
func stage(line []byte) (name string, ns int64, ok bool) {
	head, _, ok := bytes.Cut(line, []byte(" us"))
	if !ok {
		return "", 0, false
	}
	at := bytes.LastIndexByte(head, ' ')
	ns, err := foreign.ParseTime(head[at+1:], time.Microsecond)
	if at < 0 || err != nil {
		return "", 0, false
	}
	name = strings.TrimSuffix(strings.TrimSpace(string(foreign.Clip(bytes.TrimSpace(head[:at])))), ":")
	return name, ns, name != ""
}
