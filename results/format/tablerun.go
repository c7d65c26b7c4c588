package format

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// A tableRun is one run of a text with tables while its rows are read.
type tableRun struct {
	draft  *foreign.Draft
	series []*tableSeries
	closed bool // an RTS line was seen
	label  string
	cells  map[string][]foreign.Bucket // HSD lines of "avg" by label: index and samples
}

// A tableSeries is one CPU's part of a run.
type tableSeries struct {
	*foreign.Series
	name   string
	rows   int64
	last   tableRow // of the last RTD line
	min    int64    // of all RTD lines
	max    int64
	totals bool // an RTS line gave them
}

// of finds the series that a row's label names. A label that names none is the
// run's, and its series the only one.
func (t *tableRun) of(f *tableRow) *tableSeries {
	labels := cpuLabels(f.label)
	name := f.label
	if labels == nil {
		if f.label != "" {
			t.label = f.label
		}
		name = ""
	}
	for _, s := range t.series {
		if s.name == name {
			return s
		}
	}
	s := &tableSeries{Series: t.draft.Series(labels), name: name}
	t.series = append(t.series, s)
	return s
}

// interval takes an RTD line. Its overruns are those since the start.
func (t *tableRun) interval(f tableRow) {
	s := t.of(&f)
	i := results.Interval{Series: s.ID, At: (s.rows + 1) * 1e9, Seconds: 1}
	i.Missing = f.missing | results.NoCount | results.NoMaxAt | results.NoPercentiles
	i.Min, i.Max, i.Average = f.min, f.max, f.avg
	i.Overruns = since(f.overruns, s.last.overruns)
	i.Lost = since(f.lost, s.last.lost)
	i.Switches = since(f.switches, s.last.switches)
	if s.rows == 0 {
		s.min, s.max = f.min, f.max
	}
	s.min, s.max = min(s.min, f.min), max(s.max, f.max)
	s.last = f
	s.rows++
	t.draft.Interval(i)
}

// since is what a counter rose by; a smaller value means that it began anew.
func since(now, before int64) int64 {
	if now < before {
		return now
	}
	return now - before
}

// total takes the figures of a whole run.
func (t *tableRun) total(f tableRow) {
	s := t.of(&f)
	s.set(&f)
	s.totals, t.closed = true, true
	t.draft.Seconds = max(t.draft.Seconds, f.seconds)
	if f.asked > 0 && f.asked != f.seconds {
		t.draft.Set(results.ConfigDuration, nanoseconds(f.asked))
	}
}

// set makes the figures of f, where it has them, those of the series.
func (s *tableSeries) set(f *tableRow) {
	if !f.missing.Has(results.NoMin) {
		s.Min(f.min)
	}
	if !f.missing.Has(results.NoMean) {
		s.Mean(f.avg)
	}
	if !f.missing.Has(results.NoMax) {
		s.Max(f.max)
	}
	if !f.missing.Has(results.NoOverruns) {
		s.Overruns(f.overruns)
	}
	if !f.missing.Has(results.NoLost) {
		s.Lost(f.lost)
	}
	s.Tally.Switches = f.switches
}

// finish makes the draft of what was read under the heading h.
func (t *tableRun) finish(h *heading, o foreign.Options) {
	d := t.draft
	d.Header.Label = t.label
	if d.Header.Label == "" {
		d.Header.Label = o.Label
	}
	d.Header.Tool = h.tool()
	h.describe(d)
	if cpu := cpuOf(h.place); cpu != "" && len(t.series) == 1 && t.series[0].Labels == nil {
		t.series[0].Labels = results.Labels{"cpu": cpu}
	}
	for _, s := range t.series {
		if s.totals {
			continue
		}
		f := s.last
		f.min, f.max = s.min, s.max
		if f.hasBest {
			f.min, f.max = min(f.min, f.best), max(f.max, f.worst)
		}
		f.missing |= results.NoMean // that of one second is not the run's
		s.set(&f)
		d.Seconds = max(d.Seconds, float64(s.rows))
	}
	if !t.closed && !h.rtai {
		d.Warn("the table ends without its RTS line: the run may have gone on")
	}
	for _, s := range t.series {
		if cells := t.cells[s.name]; len(cells) > 0 {
			t.histogram(s, cells, o.Cell)
		}
	}
}

// histogram takes an HSD line, of which only those of "avg" hold every sample;
// switch has no others, and does not name them:
//
//	HSD|    avg|   6 -  7 |    1234
//	HSD|    avg|   6 -  7 |    1234 CPU1
//	HSD|  6 -  7 |         1234
//
// The histogram of latency stands before its RTS line, that of switch behind.
func (r *tableReader) histogram() error {
	cells := r.cells[1:]
	if len(cells) == 3 {
		if string(cells[0]) != "avg" {
			return nil
		}
		cells = cells[1:]
	}
	if len(cells) != 2 {
		return nil
	}
	if r.run != nil && r.run.closed && !r.heading.switches() {
		r.flush()
	}
	index, _, _ := bytes.Cut(cells[0], []byte{'-'})
	i, err := foreign.ParseCount(bytes.TrimSpace(index))
	count, label, _ := bytes.Cut(cells[1], []byte{' '})
	n, nerr := foreign.ParseCount(count)
	if err != nil || nerr != nil {
		r.torn++
		return nil
	}
	run, name := r.open(), string(bytes.TrimSpace(foreign.Clip(label)))
	if run.cells == nil {
		run.cells = map[string][]foreign.Bucket{}
	}
	if _, had := run.cells[name]; (had || run.draft.Spend(200)) && run.draft.Spend(48) {
		run.cells[name] = append(run.cells[name], foreign.Bucket{NS: i, N: n})
	}
	return r.failed()
}

// histogram turns cells into buckets. A table gives only their indices: the
// width is that of -B, 1 us by default, and is believed if the minimum and the
// maximum fall where it says. The last cell holds all that lies above, too, and
// negative latencies are folded into the others.
func (t *tableRun) histogram(s *tableSeries, cells []foreign.Bucket, cell time.Duration) {
	width := int64(cell)
	if width <= 0 {
		width = int64(time.Microsecond)
	}
	first, last := cells[0], cells[0]
	for _, c := range cells {
		if c.NS < first.NS {
			first = c
		}
		if c.NS > last.NS {
			last = c
		}
	}
	tally := &s.Tally
	if tally.Missing.Has(results.NoMin|results.NoMax) || tally.Min < 0 || last.NS > foreign.MaxFigure/width-1 ||
		first.NS > tally.Min/width || (first.NS < last.NS && first.NS != tally.Min/width) || last.NS > tally.Max/width {
		t.draft.Warn("the histogram's cells are not %v wide and the text does not tell their width (-B): left out", time.Duration(width))
		return
	}
	for _, c := range cells {
		if c.NS == last.NS && tally.Max/width > last.NS {
			s.Above(c.N)
			continue
		}
		s.Bucket(c.NS*width, (c.NS+1)*width-1, c.N)
	}
}

// cpuOf reads the CPU out of latmus' "CPU3" or "CPU3-noisol".
func cpuOf(place string) string {
	digits, ok := strings.CutPrefix(place, "CPU")
	digits, _, _ = strings.Cut(digits, "-")
	if _, err := strconv.Atoi(digits); !ok || err != nil {
		return ""
	}
	return digits
}
