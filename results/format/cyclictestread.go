package format

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// IsCyclictest tells whether a text can be cyclictest's: its lines for threads,
// its histogram, or its list of samples.
func IsCyclictest(head []byte) bool {
	return bytes.Contains(head, []byte("# Histogram\n")) || bytes.Contains(head, []byte("# Min Latencies:")) ||
		bytes.Contains(head, []byte("T: 0 (")) || bytes.Contains(head, []byte("Thread 0 Interval:")) ||
		bytes.Contains(head, []byte("# Histogram\r\n"))
}

// ReadCyclictest reads what cyclictest and signaltest print: the lines of
// threads (the last of each counts), -h and -H histograms, -v lists, --spike.
//
// Only the width of "Act" (five digits in us, eight in ns) and a command line
// in the text tell the unit; a minimum below 100 can only be us. A text with
// neither is refused without o.Unit. Values are truncated to whole units, so
// bucket 5 counts as 5 us as it does in the tool's own minimum and maximum.
func ReadCyclictest(text []byte, o foreign.Options) ([]*foreign.Draft, error) {
	r := &cyclictestText{draft: foreign.NewDraft("cyclictest", "cyclictest", len(text)), unit: 0}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("read cyclictest: %w", err)
		}
	}
	if err := r.decideUnit(o); err != nil {
		return nil, err
	}
	lines = foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		r.row(line)
	}
	r.finish()
	return []*foreign.Draft{r.draft}, nil
}

// A cyclictestText is what cyclictest printed, while it is read. Figures stay in
// the text's unit until that is known, at the end.
type cyclictestText struct {
	draft   *foreign.Draft
	threads []*cyclicThread
	spikes  []results.Spike
	columns int
	unit    time.Duration
	signal  bool
	broke   int64 // the break value
}

func (r *cyclictestText) line(line []byte) error {
	line = afterEscape(line)
	switch {
	case bytes.HasPrefix(line, []byte("T:")):
		return r.threadLine(line)
	case bytes.HasPrefix(line, []byte("#")):
		return r.comment(line)
	case bytes.HasPrefix(line, []byte("policy: ")):
		name, _, _ := bytes.Cut(line[len("policy: "):], []byte{':'})
		r.draft.Set(results.ConfigPolicy, string(clipLine(name)))
	case bytes.HasPrefix(line, []byte("Thread ")):
		return r.verboseInterval(line)
	case bytes.HasPrefix(line, []byte("$ ")):
		r.command(line)
	case len(line) > 0 && bytes.Count(line, []byte{':'}) == 2:
		r.verbose(line)
	case r.columns == 0 && isRow(line):
		r.columns = len(bytes.Fields(line)) - 1 // until the summary tells better
	}
	return nil
}

// isRow tells whether a line is one of a histogram: a value of six digits and
// numbers of samples.
func isRow(line []byte) bool {
	value, counts, ok := bytes.Cut(line, []byte{' '})
	return ok && len(value) >= 6 && bytes.Trim(value, "0123456789") == nil && bytes.Trim(counts, "0123456789 \t") == nil
}

// comment takes a line that opens with #.
func (r *cyclictestText) comment(line []byte) error {
	key, rest, ok := bytes.Cut(line, []byte{':'})
	if !ok {
		return nil
	}
	var each func(t *cyclicThread, v int64)
	switch string(key) {
	case "# Min Latencies":
		r.columns = len(bytes.Fields(rest))
		each = func(t *cyclicThread, v int64) { t.min = float64(v) }
	case "# Avg Latencies":
		each = func(t *cyclicThread, v int64) { t.avg = float64(v) }
	case "# Max Latencies":
		each = func(t *cyclicThread, v int64) { t.max, t.hasOver = float64(v), true }
	case "# Histogram Overflows":
		each = func(t *cyclicThread, v int64) { t.over = v }
	case "# Break value":
		r.broke, _ = foreign.ParseCount(bytes.TrimSpace(rest))
		return nil
	default:
		return nil
	}
	for i, word := range bytes.Fields(rest) {
		if r.columns > 0 && i >= r.columns {
			break // -H adds a sum
		}
		v, err := foreign.ParseCount(word)
		if err != nil {
			return err
		}
		each(r.thread(int64(i)), v)
	}
	return nil
}

// row gives each thread its column of a histogram's line. It can be taken only
// when the number of threads is known: -H adds a column of sums.
func (r *cyclictestText) row(line []byte) {
	if !isRow(line) {
		return
	}
	digits, counts, _ := bytes.Cut(line, []byte{' '})
	value, err := foreign.ParseCount(digits)
	if err != nil || value > results.Highest {
		return
	}
	ns, i := value*int64(r.unit), 0
	for field := range bytes.FieldsSeq(counts) {
		if i == len(r.threads) {
			return
		}
		n, err := foreign.ParseCount(field)
		if err != nil {
			r.draft.Fail(err)
			return
		}
		r.threads[i].series.Bucket(ns, ns, n)
		i++
	}
}

// finish fills the series.
func (r *cyclictestText) finish() {
	d := r.draft
	if r.signal {
		d.Header.Tool = "signaltest"
	}
	first := r.threads[0]
	if first.interval > 0 && first.interval < results.Highest {
		d.Set(results.ConfigPeriod, first.interval*1000)
	}
	if prio, err := strconv.Atoi(first.prio); err == nil {
		d.Set(results.ConfigPriority, prio)
	}
	for _, t := range r.threads {
		r.fill(t)
	}
	for _, spike := range r.spikes {
		spike.Latency *= int64(r.unit)
		d.Spike(spike)
	}
	if r.broke > 0 {
		value := float64(r.broke) * float64(r.unit)
		d.Gates = append(d.Gates, results.Gate{Name: "break", Value: value, Unit: "ns"})
		d.Warn("stopped by a latency of %g us; the text does not tell its limit", value/1000)
	}
}

// fromSamples works out the figures of a -v list.
func (t *cyclicThread) fromSamples() {
	if t.has || t.samples.Len() == 0 {
		return
	}
	sum := 0.0
	t.min = math.Inf(1)
	for _, s := range t.samples.All() {
		sum += float64(s.NS)
		t.min = min(t.min, float64(s.NS))
	}
	t.count, t.avg, t.max, t.has = int64(t.samples.Len()), sum/float64(t.samples.Len()), float64(t.worst.N), true
}

// decideUnit sets the unit, or says that the text can't tell it.
func (r *cyclictestText) decideUnit(o foreign.Options) error {
	if r.draft.Err() != nil {
		return r.draft.Err()
	}
	if len(r.threads) == 0 && r.columns > 0 { // a text cut off before its summary
		r.thread(int64(r.columns) - 1)
		r.draft.Warn("the text ends before the summary of its histogram")
	}
	if len(r.threads) == 0 {
		return foreign.ErrNoFigures
	}
	for _, t := range r.threads {
		t.fromSamples()
	}
	if r.unit != 0 {
		return nil
	}
	err := foreign.ErrUnit
	for _, t := range r.threads {
		if r.unit, err = o.DecideUnit(t.min, t.max); err == nil {
			return nil
		}
	}
	return err
}

// fill tells the series of a thread what is known of it.
func (r *cyclictestText) fill(t *cyclicThread) {
	s, unit := t.series, float64(r.unit)
	if t.tid <= math.MaxInt32 { // the kernel's are far fewer
		s.Thread = int(t.tid)
	}
	if t.last < foreign.MaxFigure/int64(r.unit) {
		s.Last = t.last * int64(r.unit)
	}
	if t.has {
		s.Count(t.count)
	}
	for _, sample := range t.samples.All() {
		s.Bucket(sample.NS*int64(r.unit), sample.NS*int64(r.unit), sample.N)
	}
	s.Above(t.over)
	if (t.has && t.count > 0) || t.hasOver {
		s.Min(int64(t.min * unit))
		s.Mean(t.avg * unit)
		s.Max(int64(t.max * unit))
	}
	if at := float64(t.worst.NS) * float64(t.interval) * 1000; t.samples.Len() > 0 && t.interval > 0 && at < foreign.MaxFigure {
		s.MaxAt(int64(at))
	}
}
