package format

import (
	"bytes"
	"math"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// IsGnuplot tells whether a text can be a gnuplot data file of Xenomai's latency
// or EVL's latmus.
func IsGnuplot(head []byte) bool {
	if bytes.Contains(head, []byte("# sample count: ")) {
		return true
	}
	before, _, ok := bytes.Cut(head, []byte("lat min|"))
	return ok && bytes.HasPrefix(before[bytes.LastIndexByte(before, '\n')+1:], []byte("#"))
}

// ReadGnuplot reads the data file that latency -g and latmus -g write, ours with
// several series as well. Xenomai's has the middle of each cell in us and its
// samples plus one between two edges, from which the width of cells follows;
// latmus' has the lower end of each cell of 1 us, and its samples. The last cell
// holds all that lies above, too.
func ReadGnuplot(text []byte, o foreign.Options) ([]*foreign.Draft, error) {
	r := &gnuplotText{draft: foreign.NewDraft("latency", "gnuplot", len(text))}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		if comment, ok := bytes.CutPrefix(line, []byte("#")); ok {
			if err := r.comment(bytes.TrimSpace(comment)); err != nil {
				return nil, err
			}
			continue
		}
		r.row(line)
	}
	r.flush()
	if !r.told {
		return nil, foreign.ErrNoFigures
	}
	r.draft.Header.Label = o.Label
	return []*foreign.Draft{r.draft}, nil
}

// A gnuplotText is such a file while it is read.
type gnuplotText struct {
	draft   *foreign.Draft
	heading heading
	cells   [][]byte
	latmus  bool
	series  *foreign.Series
	points  foreign.List[point]
	told    bool
}

// A point is one line: a place on the axis in us, and a number of samples.
type point struct {
	x float64
	n int64
}

func (r *gnuplotText) row(line []byte) {
	place, samples, _ := bytes.Cut(line, []byte{' '})
	x, err := foreign.ParseTimeF(place, 1)
	n, nerr := foreign.ParseCount(bytes.TrimSpace(samples))
	if err == nil && nerr == nil && r.draft.Spend(48) {
		r.points.Append(point{x, n})
	}
}

// comment takes a line that opens with #, without it.
func (r *gnuplotText) comment(line []byte) error {
	if r.cells = foreign.Cells(r.cells, line); len(r.cells) > 3 {
		return r.table(r.cells)
	}
	text := string(clipLine(line))
	if at, bracket, ok := strings.Cut(text, " ("); ok {
		if seconds, ok := foreign.Clock([]byte(at)); ok {
			r.flush()
			bracket, label, _ := strings.Cut(bracket, ")")
			r.heading.rtt([]byte(bracket))
			r.heading.describe(r.draft)
			r.draft.Seconds = seconds
			r.open(cpuLabels(strings.TrimSpace(label)))
			return nil
		}
	}
	if strings.HasPrefix(text, "Linux ") {
		r.linux(strings.Fields(string(line[:min(len(line), 1000)])))
		return nil
	}
	if key, value, ok := strings.Cut(text, ":"); ok {
		r.fact(key, strings.TrimSpace(value), line)
	}
	return nil
}

// open begins a series.
func (r *gnuplotText) open(labels results.Labels) {
	r.series = r.draft.Series(labels)
}

// linux takes what uname -a says, or /proc/version.
func (r *gnuplotText) linux(words []string) {
	if len(words) < 3 {
		return
	}
	if words[1] == "version" {
		r.draft.Fact("kernel.release", words[2])
		return
	}
	r.draft.Fact("kernel.hostname", words[1])
	r.draft.Fact("kernel.release", words[2])
	if n := len(words); n > 5 {
		r.draft.Fact("kernel.version", strings.Join(words[3:n-2], " "))
		r.draft.Fact("kernel.machine", words[n-2])
	}
}

// table takes the header line and the line of figures.
func (r *gnuplotText) table(cells [][]byte) error {
	if meaningOf(cells[0]) == colMin {
		r.heading.columns = nil
		for _, cell := range cells[:min(len(cells), 16)] {
			r.heading.columns = append(r.heading.columns, meaningOf(cell))
		}
		return nil
	}
	if r.series == nil {
		return nil
	}
	f, err := r.heading.row(cells, "RTD", foreign.Options{})
	if err != nil {
		return err
	}
	s := tableSeries{Series: r.series}
	s.set(&f)
	r.told = r.told || f.missing != allFigures
	return nil
}

// fact takes a line "key: value", most of which are latmus'.
func (r *gnuplotText) fact(key, value string, line []byte) {
	d := r.draft
	us := func(tell func(ns float64)) {
		if ns, err := foreign.ParseTimeF([]byte(value), time.Microsecond); err == nil {
			tell(ns)
			r.told = true
		}
	}
	switch key {
	case "Kernel parameters":
		_, parameters, _ := bytes.Cut(line, []byte(": "))
		d.Fact("kernel.cmdline", string(parameters[:min(len(parameters), 4096)]))
	case "Xenomai version":
		d.Fact("xenomai.version", value)
	case "libevl version":
		d.Fact("evl.version", value)
	case "clock gravity":
		d.Fact("evl.gravity", value)
	case "clocksource":
		d.Fact("clock.source", value)
	case "test started on":
		r.latmus = true
		d.Header.Tool = "latmus"
		d.Set("started", value)
		r.open(nil)
	case "sampling period":
		r.heading.period = readPeriod(value)
	case "context":
		r.heading.mode = value
	case "thread priority":
		r.heading.priority = value
	case "thread affinity":
		if cpu := cpuOf(value); cpu != "" && r.series != nil {
			r.series.Labels = results.Labels{"cpu": cpu}
		}
		r.heading.place = value
	case "duration (hhmmss)":
		d.Seconds, _ = foreign.Clock([]byte(value))
	case "min latency":
		us(func(ns float64) { r.open0().Min(int64(math.Round(ns))) })
	case "avg latency":
		us(r.open0().Mean)
	case "max latency":
		us(func(ns float64) { r.open0().Max(int64(math.Round(ns))) })
	case "sample count":
		if n, err := foreign.ParseCount([]byte(value)); err == nil {
			r.open0().Count(n)
		}
	}
}

// open0 is the series that is being read, the first if need be.
func (r *gnuplotText) open0() *foreign.Series {
	if r.series == nil {
		r.open(nil)
	}
	return r.series
}

// flush ends a series.
func (r *gnuplotText) flush() {
	if r.latmus {
		r.heading.describe(r.draft)
	}
	s, points := r.series, r.points
	r.series, r.points = nil, foreign.List[point]{}
	first, last := 0, points.Len()-1
	if s == nil || last < 0 {
		return
	}
	r.told = true
	width := 1.0
	if !r.latmus {
		if first, last = first+1, last-1; last < first {
			return
		}
		width = 2 * (points.At(1).x - points.At(0).x)
	}
	if !(width > 0.001 && width < 1e9) {
		return
	}
	ns := int64(math.Round(width * 1000))
	for i, p := range points.All() {
		// The number of a cell keeps what %g rounds off the places of high ones.
		number, hits := int64(math.Round(p.x/width-0.5)), p.n-1
		if r.latmus {
			number, hits = int64(math.Round(p.x)), p.n
		}
		if i < first || i > last || number < 0 || number > results.Highest/ns {
			continue
		}
		low := number * ns
		if i == last && !s.Tally.Missing.Has(results.NoMax) && s.Tally.Max >= low+ns {
			s.Above(hits)
			continue
		}
		s.Bucket(low, low+ns-1, hits)
	}
}
