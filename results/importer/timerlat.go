package importer

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// readTimerlatTrace reads lines of the kernel's timerlat tracer, see
// foreign.ParseTimerlat: every sample, with its date. A number of a context that
// no line has was lost from the trace buffer.
func readTimerlatTrace(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &samples{draft: foreign.NewDraft("timerlat", "timerlat-trace", len(text)), series: map[string]*sampled{}}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		t, ok := foreign.ParseTimerlat(line)
		if !ok {
			continue
		}
		cpu := strconv.Itoa(t.CPU)
		r.of(cpu+" "+t.Context, func() results.Labels {
			return results.Labels{"cpu": cpu, "context": t.Context}
		}).take(t.At, t.Latency, t.Number)
	}
	return r.finish()
}

// readHwlatTrace reads lines of the kernel's hwlat tracer: for each window with
// a gap, the longest inside a sample and between two.
//
//	#1     inner/outer(us): 24018/20020 ts:1796069523.239770541 count:245
func readHwlatTrace(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &samples{draft: foreign.NewDraft("hwlat", "hwlat-trace", len(text)), series: map[string]*sampled{}, bare: true}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		_, rest, ok := bytes.Cut(line, []byte("inner/outer(us):"))
		words := bytes.Fields(rest)
		if !ok || len(words) < 2 {
			continue
		}
		inner, outer, _ := bytes.Cut(words[0], []byte{'/'})
		at, err := foreign.ParseDate(bytes.TrimPrefix(words[1], []byte("ts:")))
		in, ierr := foreign.ParseTime(inner, time.Microsecond)
		out, oerr := foreign.ParseTime(outer, time.Microsecond)
		if err != nil || ierr != nil || oerr != nil {
			continue
		}
		r.of("inner", func() results.Labels { return results.Labels{"what": "inner"} }).take(at, in, 0)
		r.of("outer", func() results.Labels { return results.Labels{"what": "outer"} }).take(at, out, 0)
	}
	return r.finish()
}

// samples collects the dated samples of one text.
type samples struct {
	draft *foreign.Draft
	list  []*sampled // in the order of the text
	// series are the same, by name.
	series map[string]*sampled
	first  int64 // date of the first sample, in ns
	last   int64
	seen   bool
	bare   bool // too few samples a second to make intervals of them
}

// A sampled is one series of them.
type sampled struct {
	*foreign.Series
	of       *samples
	sum      float64
	second   results.Interval // of the second that goes on
	number   int64            // of the last sample
	lost     int64
	numbered bool
}

// of finds a series by its name, or makes it.
func (r *samples) of(name string, labels func() results.Labels) *sampled {
	s := r.series[name]
	if s == nil {
		s = &sampled{Series: r.draft.Series(labels()), of: r}
		s.Tally.Count = 0
		if r.draft.Spend(400) {
			r.series[name] = s
			r.list = append(r.list, s)
		}
	}
	return s
}

// take takes a sample of ns at a date in ns. A number other than 0 counts the
// samples of the series in the source.
func (s *sampled) take(at, ns, number int64) {
	if !s.of.seen {
		s.of.first, s.of.seen = at, true
	}
	at = max(at-s.of.first, 0)
	s.of.last = max(s.of.last, at)
	if number > 0 && s.numbered && number > s.number+1 {
		s.lost += number - s.number - 1
	}
	s.number, s.numbered = number, number > 0
	if !s.of.bare {
		s.interval(at, ns)
	}
	if t := &s.Tally; t.Count == 0 || ns > t.Max {
		s.Max(ns)
		s.MaxAt(at)
	}
	if t := &s.Tally; t.Count == 0 || ns < t.Min {
		s.Min(ns)
	}
	s.sum += float64(ns)
	s.Count(s.Tally.Count + 1)
	s.Bucket(ns, ns, 1)
}

// interval adds a sample to the second that it belongs to.
func (s *sampled) interval(at, ns int64) {
	iv := &s.second
	if end := (at/1e9 + 1) * 1e9; iv.At != end {
		s.flush()
		*iv = results.Interval{Series: s.ID, At: end, Seconds: 1}
		iv.Min, iv.Max = math.MaxInt64, math.MinInt64
	}
	iv.Count++
	iv.Average += float64(ns)
	iv.Min = min(iv.Min, ns)
	if ns > iv.Max {
		iv.Max, iv.MaxAt = ns, at
	}
}

// flush ends a second.
func (s *sampled) flush() {
	iv := &s.second
	if iv.Count == 0 {
		return
	}
	iv.Missing = results.NoPercentiles | results.NoOverruns | results.NoLost
	if math.Abs(iv.Average) < foreign.MaxFigure {
		iv.Sum, iv.Average = int64(iv.Average), 0
	} else {
		iv.Average /= float64(iv.Count)
	}
	s.of.draft.Interval(*iv)
}

func (r *samples) finish() ([]*foreign.Draft, error) {
	if len(r.list) == 0 {
		return nil, foreign.ErrNoFigures
	}
	for _, s := range r.list {
		s.flush()
		s.Mean(s.sum / float64(s.Tally.Count))
		if s.numbered {
			s.Lost(s.lost)
		}
	}
	r.draft.Seconds = float64(r.last) / 1e9
	return []*foreign.Draft{r.draft}, nil
}
