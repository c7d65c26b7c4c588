package importer

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// What rteval itself can't have told.
var (
	errRtevalDropped = errors.New("rteval left all statistics out, since a latency exceeded its histogram")
	errRtevalMixed   = errors.New("rteval adds interrupt, thread and user latencies of timerlat to one histogram, which says nothing of any; import the output of rtla itself")
)

// sniffRteval accepts summary.xml of rteval, or the part that a module wrote.
func sniffRteval(head []byte) bool {
	return bytes.Contains(head, []byte("<rteval")) ||
		bytes.Contains(head, []byte("<statistics>")) && bytes.Contains(head, []byte("<histogram"))
}

// readRteval reads summary.xml of rteval: the cores that its cyclictest module
// measured. Its timerlat module is refused. What it calls system is the sum of
// the cores, and left out.
func readRteval(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &rteval{draft: foreign.NewDraft("cyclictest", "rteval", len(text))}
	dec := xml.NewDecoder(bytes.NewReader(text))
	dec.Strict = false
	dec.CharsetReader = nil
	for r.draft.Err() == nil {
		token, err := dec.RawToken()
		if token == nil {
			if len(r.path) > 0 && err != nil {
				r.draft.Warn("the document is cut off")
			}
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(r.path) > 64 {
				return nil, fmt.Errorf("read rteval: nested too deeply")
			}
			r.path = append(r.path, t.Name.Local)
			r.start(t)
		case xml.EndElement:
			if len(r.path) > 0 {
				r.path = r.path[:len(r.path)-1]
			}
		case xml.CharData:
			r.text(bytes.TrimSpace(t))
		}
	}
	switch {
	case r.cores > 0:
		return []*foreign.Draft{r.draft}, nil
	case r.mixed:
		return nil, errRtevalMixed
	case r.cyclictest:
		return nil, errRtevalDropped
	}
	return nil, foreign.ErrNoFigures
}

// An rteval is such a document while it is read.
type rteval struct {
	draft      *foreign.Draft
	path       []string // of open elements
	series     *foreign.Series
	module     string
	cores      int
	cyclictest bool
	mixed      bool
}

// start takes the start of an element.
func (r *rteval) start(t xml.StartElement) {
	attr := func(name string) string {
		for _, a := range t.Attr {
			if a.Name.Local == name {
				return a.Value[:min(len(a.Value), 1000)]
			}
		}
		return ""
	}
	switch t.Name.Local {
	case "cyclictest":
		r.module, r.cyclictest = "cyclictest", true
		line := attr("command_line")
		r.draft.Set(results.ConfigCommand, line)
		argv := foreign.ParseArgv(line)
		if us, ok := argv.Int('i', "interval"); ok {
			r.draft.Set(results.ConfigPeriod, us*1000)
		}
	case "run_info":
		for unit, seconds := range map[string]float64{"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1} {
			if n, err := foreign.ParseTimeF([]byte(attr(unit)), 1); err == nil {
				r.draft.Seconds += n * seconds
			}
		}
	case "timerlat":
		r.module, r.mixed = "timerlat", true
	case "system":
		r.series = nil
	case "core":
		r.series = nil
		if r.module == "cyclictest" && attr("id") != "" {
			r.series = r.draft.Series(results.Labels{"cpu": attr("id")})
			r.cores++
		}
		if prio, err := foreign.ParseCount([]byte(attr("priority"))); err == nil && r.series != nil {
			r.draft.Set(results.ConfigPriority, prio)
		}
	case "bucket":
		r.bucket(attr("index"), attr("value"))
	case "breaktrace":
		r.draft.Warn("stopped by a latency of %s us, above %s us", attr("measured_latency"), attr("latency_threshold"))
	}
}

func (r *rteval) bucket(index, value string) {
	us, err := foreign.ParseCount([]byte(index))
	n, nerr := foreign.ParseCount([]byte(value))
	if r.series == nil || err != nil || nerr != nil || us > results.Highest {
		return
	}
	r.series.Bucket(us*1000, us*1000, n)
}

// text takes what stands inside the innermost element.
func (r *rteval) text(text []byte) {
	if len(text) == 0 || len(r.path) == 0 {
		return
	}
	parent := ""
	if len(r.path) > 1 {
		parent = r.path[len(r.path)-2]
	}
	name := r.path[len(r.path)-1]
	switch parent {
	case "uname", "run_info":
		facts := map[string]string{"kernel": "kernel.release", "arch": "kernel.machine", "node": "kernel.hostname", "baseos": "os.pretty_name"}
		if fact := facts[name]; fact != "" {
			r.draft.Fact(fact, string(foreign.Clip(text)))
		}
	case "statistics":
		r.figure(name, text)
	}
}

// figure takes one of a core's statistics.
func (r *rteval) figure(name string, text []byte) {
	s := r.series
	if s == nil {
		return
	}
	if name == "samples" {
		n, err := foreign.ParseCount(text)
		if r.draft.Fail(err); err == nil {
			s.Count(n)
		}
		return
	}
	ns, err := foreign.ParseTimeF(text, time.Microsecond)
	if err != nil {
		return
	}
	switch name {
	case "minimum":
		s.Min(int64(ns))
	case "maximum":
		s.Max(int64(ns))
	case "mean":
		s.Mean(ns)
	case "standard_deviation":
		if r.draft.Spend(100) {
			r.draft.After["stddev_ns.cpu"+strings.TrimSpace(s.Labels["cpu"])] = ns
		}
	}
}
