package importer

import (
	"bytes"
	"strconv"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// readOslat reads the text that oslat prints: a line for each figure and bucket,
// with a column for each core.
//
//	    Core:	 0 1
//	001 (us):	 75586583 76351634
//	032 (us):	 233 290 (including overflows)
//	 Maximum:	 32156 53026 (us)
func readOslat(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &oslatText{draft: foreign.NewDraft("oslat", "oslat", len(text))}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		r.line(line)
	}
	if len(r.series) == 0 {
		return nil, foreign.ErrNoFigures
	}
	overflows := false
	for i, s := range r.series {
		fillOslat(s, &r.buckets[i], time.Nanosecond) // they are in ns already
		if i == 0 {
			overflows = s.Tally.Max > lastBucket(&r.buckets[0]) && r.buckets[0].Len() > 0
		} else if overflows {
			forgetMean(r.draft, s)
		}
	}
	return []*foreign.Draft{r.draft}, nil
}

// An oslatText is a text of oslat while it is read.
type oslatText struct {
	draft   *foreign.Draft
	series  []*foreign.Series
	buckets []foreign.List[foreign.Bucket] // in ns
}

func (r *oslatText) line(line []byte) {
	key, rest, ok := bytes.Cut(line, []byte{':'})
	if !ok {
		if version, ok := bytes.CutPrefix(line, []byte("oslat V ")); ok {
			r.draft.Set("version", string(foreign.Clip(version)))
		}
		return
	}
	rest, _, _ = bytes.Cut(rest, []byte{'('})
	key = bytes.TrimSpace(key)
	switch string(key) {
	case "Core":
		if len(r.series) > 0 {
			return
		}
		for cpu := range bytes.FieldsSeq(rest) {
			r.series = append(r.series, r.draft.Series(results.Labels{"cpu": string(foreign.Clip(cpu))}))
			if r.draft.Err() != nil {
				return
			}
		}
		r.buckets = make([]foreign.List[foreign.Bucket], len(r.series))
	case "Thread priority":
		policy, prio, _ := bytes.Cut(bytes.TrimSpace(rest), []byte{':'})
		r.draft.Set(results.ConfigPolicy, string(foreign.Clip(policy)))
		if n, err := strconv.Atoi(string(prio)); err == nil {
			r.draft.Set(results.ConfigPriority, n)
		}
	case "Workload":
		r.draft.Set("workload", string(foreign.Clip(bytes.TrimSpace(rest))))
	case "Minimum":
		r.each(rest, time.Microsecond, func(i int, ns float64) { r.series[i].Min(int64(ns)) })
	case "Average":
		r.each(rest, time.Microsecond, func(i int, ns float64) { r.series[i].Mean(ns) })
	case "Maximum":
		r.each(rest, time.Microsecond, func(i int, ns float64) { r.series[i].Max(int64(ns)) })
	case "Duration":
		r.each(rest, time.Second, func(_ int, ns float64) { r.draft.Seconds = max(r.draft.Seconds, ns/1e9) })
	default:
		if value, ok := bytes.CutSuffix(key, []byte(" (us)")); ok {
			r.bucket(value, rest)
		}
	}
}

// each calls tell with each core's number of a line, in ns.
func (r *oslatText) each(rest []byte, unit time.Duration, tell func(i int, ns float64)) {
	i := 0
	for field := range bytes.FieldsSeq(rest) {
		if i == len(r.series) {
			return
		}
		ns, err := foreign.ParseTimeF(field, unit)
		if err != nil {
			return
		}
		tell(i, ns)
		i++
	}
}

// bucket takes the line of one bucket, "001" or, with --bucket-width, "001.500".
func (r *oslatText) bucket(value, rest []byte) {
	ns, err := foreign.ParseTime(value, time.Microsecond)
	if err != nil {
		return
	}
	r.each(rest, 1, func(i int, n float64) {
		if n > 0 && r.draft.Spend(20) {
			r.buckets[i].Append(foreign.Bucket{NS: ns, N: int64(n)})
		}
	})
}

// oslat fills a series of oslat, whose bucket n holds what took more than n-1
// and up to n us, and counts as n us in its own figures. The last bucket holds
// everything above, too. Up to version 2.4 at least, the means add the overflow
// of the first thread to that of every other.
func (t *rtTest) oslat(s *foreign.Series, th *rtThread) {
	t.extremes(s, th)
	t.draft.Seconds = max(t.draft.Seconds, th.seconds)
	fillOslat(s, &th.histogram, t.unit)
	if first := t.threads.First(); th != first && oslatOverflows(first, t.unit) {
		forgetMean(t.draft, s)
	}
}

func oslatOverflows(th *rtThread, unit time.Duration) bool {
	most, err := foreign.ParseTime(th.max, unit)
	return err == nil && th.histogram.Len() > 0 && most > lastBucket(&th.histogram)*int64(unit)
}

// lastBucket is the largest value that has a bucket, in units.
func lastBucket(list *foreign.List[foreign.Bucket]) int64 {
	var last int64
	for _, b := range list.All() {
		last = max(last, b.NS)
	}
	return last
}

// fillOslat adds oslat's buckets to a series whose maximum is known.
func fillOslat(s *foreign.Series, list *foreign.List[foreign.Bucket], unit time.Duration) {
	last := lastBucket(list)
	for _, b := range list.All() {
		ns := b.NS * int64(unit)
		if b.NS == last && s.Tally.Max > ns {
			s.Above(b.N)
			continue
		}
		s.Bucket(ns, ns, b.N)
	}
}

// forgetMean makes the mean of a series unknown.
func forgetMean(d *foreign.Draft, s *foreign.Series) {
	s.Tally.Missing |= results.NoMean
	s.Tally.Average = 0
	d.Warn("series %d: oslat adds the overflows of its first thread to this mean: left out", s.ID)
}
