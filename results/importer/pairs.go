package importer

import (
	"bytes"
	"fmt"
	"strings"

	"worstcase/results"
	"worstcase/results/foreign"
)

// sniffPairs accepts the text of the rt-tests that measure between two threads.
func sniffPairs(head []byte) bool {
	return sniffAll("#1 -> #0, Min")(head) || sniffAll("#0 -> #1, Min")(head)
}

// readPairs reads pmqtest, ptsematest, svsematest and sigwaittest, which print
// the same lines, in us; the last of each pair counts:
//
//	#0: ID11796, P80, CPU0, I1000; #1: ID11797, P80, CPU0, TO 0, Cycles 200
//	#1 -> #0, Min    3, Cur    4, Avg    4, Max   48
func readPairs(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &pairs{draft: foreign.NewDraft("rt-tests", "rt-tests", len(text)), series: map[string]*foreign.Series{}}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		if i := bytes.LastIndexByte(line, 0x1b); i >= 0 {
			line = line[i:]
		}
		if i := bytes.IndexByte(line, '#'); i >= 0 {
			r.line(string(line[i:min(len(line), i+200)]))
		}
	}
	if len(r.series) == 0 {
		return nil, foreign.ErrNoFigures
	}
	for pair, n := range r.cycles {
		for key, s := range r.series {
			if strings.HasPrefix(key, pair+" ") || strings.HasSuffix(key, " "+pair) {
				s.Count(n)
			}
		}
	}
	return []*foreign.Draft{r.draft}, nil
}

// A pairs is such a text while it is read.
type pairs struct {
	draft  *foreign.Draft
	series map[string]*foreign.Series // by "#1 #0"
	cycles map[string]int64           // by "#1"
}

func (r *pairs) line(line string) {
	from, rest, ok := strings.Cut(line, " -> ")
	if !ok {
		r.describe(line)
		return
	}
	to, rest, _ := strings.Cut(rest, ",")
	if len(from) > 8 || len(to) > 8 {
		return
	}
	key := from + " " + to
	s := r.series[key]
	if s == nil {
		s = r.draft.Series(results.Labels{"pair": fmt.Sprint(len(r.series))})
		if !r.draft.Spend(200) {
			return
		}
		r.series[key] = s
	}
	for part := range strings.SplitSeq(rest, ",") {
		words := strings.Fields(part)
		if len(words) != 2 {
			continue
		}
		switch words[0] {
		case "Min":
			tellUS(words[1], func(ns float64) { s.Min(int64(ns)) })
		case "Avg":
			tellUS(words[1], s.Mean)
		case "Max":
			tellUS(words[1], func(ns float64) { s.Max(int64(ns)) })
		}
	}
}

// describe takes the line that names two threads.
func (r *pairs) describe(line string) {
	for thread := range strings.SplitSeq(line, ";") {
		id, rest, _ := strings.Cut(strings.TrimSpace(thread), ":")
		for part := range strings.SplitSeq(rest, ",") {
			part = strings.TrimSpace(part)
			if cycles, ok := strings.CutPrefix(part, "Cycles "); ok {
				n, err := foreign.ParseCount([]byte(cycles))
				if err == nil && r.draft.Spend(100) {
					if r.cycles == nil {
						r.cycles = map[string]int64{}
					}
					r.cycles[id] = n
				}
			}
			if interval, ok := strings.CutPrefix(part, "I"); ok && id == "#0" {
				tellUS(interval, func(ns float64) { r.draft.Set(results.ConfigPeriod, int64(ns)) })
			}
			if prio, ok := strings.CutPrefix(part, "P"); ok && id == "#0" {
				if n, err := foreign.ParseCount([]byte(prio)); err == nil {
					r.draft.Set(results.ConfigPriority, n)
				}
			}
		}
	}
}

// tellUS reads us and passes them on as ns.
func tellUS(word string, to func(ns float64)) {
	tell(word, func(us float64) {
		if us < foreign.MaxFigure/1000 {
			to(us * 1000)
		}
	})
}
