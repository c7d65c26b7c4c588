package importer

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// readStressNG reads what stress-ng --cyclic logs, with --cyclic-dist as well:
//
//	stress-ng: info:  [11826] cyclic: sched SCHED_FIFO: 100000 ns delay, 10000 samples
//	stress-ng: info:  [11826] cyclic:   mean: 41486.40 ns, mode: 32467 ns
//	stress-ng: info:  [11826] cyclic:   min: 20886 ns, max: 207564 ns, std.dev. 12660.87
//	stress-ng: info:  [11826] cyclic:   99.00%:      79165 ns
//	stress-ng: info:  [11826] cyclic:        15000          2
//
// How many samples there were is told only when there was no room for all.
// Without a distribution the percentiles it gives stand under "after".
func readStressNG(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &stressNG{draft: foreign.NewDraft("stress-ng", "stress-ng", len(text)), lines: map[string]*stressSeries{}}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		if i := bytes.Index(line, []byte(" second run per stressor")); i >= 0 {
			r.duration(line[:i])
		}
		head, rest, ok := bytes.Cut(line, []byte("] cyclic: "))
		if !ok {
			continue
		}
		_, pid, _ := bytes.Cut(head, []byte{'['})
		r.line(string(foreign.Clip(bytes.TrimSpace(pid))), bytes.TrimSpace(rest))
	}
	if len(r.order) == 0 {
		return nil, foreign.ErrNoFigures
	}
	for _, s := range r.order {
		s.finish()
	}
	return []*foreign.Draft{r.draft}, nil
}

// A stressNG is such a log while it is read.
type stressNG struct {
	draft *foreign.Draft
	lines map[string]*stressSeries // by process
	order []*stressSeries
}

// A stressSeries is one instance of the stressor.
type stressSeries struct {
	*foreign.Series
	width    int64 // of the distribution's buckets, in ns
	capacity int64
	partial  bool // there were more samples than capacity
	buckets  []foreign.Bucket
}

func (r *stressNG) duration(head []byte) {
	words := bytes.Fields(head)
	if len(words) == 0 {
		return
	}
	if ns, err := foreign.ParseTimeF(words[len(words)-1], time.Second); err == nil {
		r.draft.Set(results.ConfigDuration, int64(ns))
		r.draft.Seconds = ns / 1e9
	}
}

func (r *stressNG) line(pid string, rest []byte) {
	if sched, ok := bytes.CutPrefix(rest, []byte("sched ")); ok {
		r.open(pid, sched)
		return
	}
	s := r.lines[pid]
	if s == nil {
		return
	}
	words := strings.Fields(string(rest[:min(len(rest), 160)]))
	switch {
	case len(words) < 2:
	case words[0] == "mean:":
		tell(words[1], s.Mean)
	case words[0] == "min:" && len(words) > 4:
		tell(words[1], func(ns float64) { s.Min(int64(ns)) })
		tell(words[4], func(ns float64) { s.Max(int64(ns)) })
	case strings.HasSuffix(words[0], "%:"):
		q := strings.TrimRight(strings.TrimSuffix(words[0], "%:"), "0")
		name := "p" + strings.ReplaceAll(strings.TrimSuffix(q, "."), ".", "_") + "_ns"
		if r.draft.Spend(100) {
			tell(words[1], func(ns float64) { r.draft.After[name+s.suffix()] = ns })
		}
	case strings.HasPrefix(string(rest), "latency distribution ("):
		if len(words) > 2 {
			tell(strings.TrimPrefix(words[2], "("), func(ns float64) { s.width = int64(ns) })
		}
	case words[0] == "Note:":
		s.partial = true
	case len(words) == 2 && s.width > 0:
		s.bucket(words)
	}
}

// suffix tells the figures of several instances apart.
func (s *stressSeries) suffix() string {
	if s.ID == 0 {
		return ""
	}
	return fmt.Sprint(".series", s.ID)
}

// tell reads ns and passes them on.
func tell(word string, to func(ns float64)) {
	if ns, err := foreign.ParseTimeF([]byte(strings.TrimSuffix(word, ",")), 1); err == nil {
		to(ns)
	}
}

// open takes "SCHED_FIFO: 100000 ns delay, 10000 samples".
func (r *stressNG) open(pid string, sched []byte) {
	policy, rest, _ := strings.Cut(string(sched[:min(len(sched), 160)]), ":")
	words := strings.Fields(rest)
	if len(words) != 5 || !r.draft.Spend(400) {
		return
	}
	s := &stressSeries{Series: r.draft.Series(results.Labels{"instance": fmt.Sprint(len(r.order))})}
	r.lines[pid] = s
	r.order = append(r.order, s)
	r.draft.Set(results.ConfigPolicy, policy)
	tell(words[0], func(ns float64) { r.draft.Set(results.ConfigPeriod, int64(ns)) })
	s.capacity, _ = foreign.ParseCount([]byte(words[3]))
}

func (s *stressSeries) bucket(words []string) {
	low, err := foreign.ParseCount([]byte(words[0]))
	n, nerr := foreign.ParseCount([]byte(words[1]))
	if err == nil && nerr == nil && len(s.buckets) < 1<<16 {
		s.buckets = append(s.buckets, foreign.Bucket{NS: low, N: n})
	}
}

// finish uses the distribution if it can be whole: the log shows only its first
// 250 buckets.
func (s *stressSeries) finish() {
	if s.partial && s.capacity > 0 {
		s.Count(s.capacity)
	}
	if len(s.buckets) == 0 {
		return
	}
	last := s.buckets[len(s.buckets)-1].NS
	if s.Tally.Missing.Has(results.NoCount) && s.Tally.Max > last+s.width {
		return
	}
	for _, b := range s.buckets {
		s.Bucket(b.NS, b.NS+s.width-1, b.N)
	}
}
