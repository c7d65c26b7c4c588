package importer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// errNoHeader is what a histogram of rtla without its header is refused with.
var errNoHeader = errors.New("printed with --no-header: unit, CPUs and columns are lost")

// sniffRTLAHist accepts a histogram of rtla, with its header or without.
func sniffRTLAHist(head []byte) bool {
	return sniffAny("# RTLA timerlat histogram", "# RTLA osnoise histogram")(head) ||
		sniffAll("\nover:", "\ncount:")(head)
}

// readRTLAHist reads rtla timerlat hist, with one to three columns per CPU, and
// rtla osnoise hist, with one:
//
//	# Time unit is microseconds (us)
//	# Duration:   0 00:00:07
//	Index   IRQ-000   Thr-000   Usr-000   IRQ-001   Thr-001   Usr-001
//	25         1297       178         2      1225        35         2
//	over:       421       445       456       423       436       444
//	count:     3367      3367      3367      3326      3326      3326
//
// An index is the lower end of its bucket. Rows of zeros are left out, so that
// the width is not told: it divides all indices.
func readRTLAHist(text []byte, o foreign.Options) ([]*foreign.Draft, error) {
	r := &rtlaHist{draft: foreign.NewDraft("timerlat", "rtla-hist", len(text)), unit: o.Unit}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		if err := r.line(line); err != nil {
			return nil, err
		}
	}
	if len(r.columns) == 0 {
		return nil, errNoHeader
	}
	r.totals = false
	lines = foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil && !r.totals; line, ok = lines.Next() {
		if err := r.row(line); err != nil {
			return nil, err
		}
	}
	return []*foreign.Draft{r.draft}, nil
}

// An rtlaHist is such a text while it is read.
type rtlaHist struct {
	draft   *foreign.Draft
	unit    time.Duration
	columns []*foreign.Series
	width   int64 // of buckets in units: the greatest common divisor of indices
	totals  bool  // the lines for all CPUs have begun
	stop    stopTracing
}

func (r *rtlaHist) line(line []byte) error {
	if r.stop.line(r.draft, line) {
		return nil
	}
	first, rest, _ := bytes.Cut(line, []byte{' '})
	switch key := string(foreign.Clip(first)); key {
	case "$":
		r.draft.Set(results.ConfigCommand, string(foreign.Clip(rest)))
	case "#":
		r.comment(string(foreign.Clip(rest)))
	case "Index":
		return r.header(rest)
	case "ALL:":
		r.totals = true
	case "over:", "count:", "min:", "avg:", "max:":
		if !r.totals {
			return r.summary(key, rest)
		}
	default:
		if low, ok := r.index(first); ok {
			r.width = gcd(r.width, low)
		}
	}
	return nil
}

func (r *rtlaHist) comment(text string) {
	if strings.HasPrefix(text, "RTLA osnoise") {
		r.draft.Header.Tool = "osnoise"
	}
	if strings.HasPrefix(text, "Time unit is ") {
		_, unit, _ := strings.Cut(text, "(")
		if u, err := foreign.ParseUnit(strings.TrimSuffix(unit, ")")); err == nil {
			r.unit = u
		}
	}
	if duration, ok := strings.CutPrefix(text, "Duration:"); ok {
		r.draft.Seconds = daysClock(duration)
	}
}

// daysClock reads "0 00:00:07", days first.
func daysClock(text string) float64 {
	words := strings.Fields(text)
	if len(words) != 2 {
		return 0
	}
	days, err := foreign.ParseCount([]byte(words[0]))
	seconds, ok := foreign.Clock([]byte(words[1]))
	if err != nil || !ok || days > 1e6 {
		return 0
	}
	return float64(days)*86400 + seconds
}

func (r *rtlaHist) header(rest []byte) error {
	if r.unit == 0 {
		return foreign.ErrUnit
	}
	if len(r.columns) > 0 {
		return nil
	}
	for name := range bytes.FieldsSeq(rest) {
		kind, cpu, _ := strings.Cut(string(foreign.Clip(name)), "-")
		labels := results.Labels{"cpu": strings.TrimLeft(cpu[:max(len(cpu)-1, 0)], "0") + cpu[max(len(cpu)-1, 0):]}
		switch kind {
		case "IRQ":
			labels["context"] = "irq"
		case "Thr":
			labels["context"] = "thread"
		case "Usr":
			labels["context"] = "user"
		case "CPU":
		default:
			return fmt.Errorf("read histogram: unknown column %q", foreign.Clip(name))
		}
		if r.draft.Err() != nil {
			return nil
		}
		r.columns = append(r.columns, r.draft.Series(labels))
	}
	return nil
}

// index reads the first word of a row of the histogram.
func (r *rtlaHist) index(word []byte) (low int64, ok bool) {
	low, err := foreign.ParseCount(word)
	return low, err == nil && low <= results.Highest && len(r.columns) > 0 && !r.totals
}

// row gives each series its column of a line of the histogram, once the width of
// buckets is known. Other lines are passed by.
func (r *rtlaHist) row(line []byte) error {
	first, rest, _ := bytes.Cut(line, []byte{' '})
	if string(first) == "ALL:" {
		r.totals = true
	}
	low, ok := r.index(first)
	if !ok {
		return nil
	}
	// Figures are truncated to whole units.
	from, to := low*int64(r.unit), (low+max(r.width, 1)-1)*int64(r.unit)
	return r.each(rest, func(s *foreign.Series, field []byte) error {
		n, err := foreign.ParseCount(field)
		if err == nil {
			s.Bucket(from, to, n)
		}
		return err
	})
}

// summary takes a line of one figure for each column.
func (r *rtlaHist) summary(key string, rest []byte) error {
	return r.each(rest, func(s *foreign.Series, field []byte) error {
		if string(field) == "-" {
			return nil
		}
		if key == "over:" || key == "count:" {
			n, err := foreign.ParseCount(field)
			if key == "count:" {
				s.Count(n)
			} else {
				s.Above(n)
			}
			return err
		}
		ns, err := foreign.ParseTimeF(field, r.unit)
		switch key {
		case "min:":
			s.Min(int64(ns))
		case "avg:":
			s.Mean(ns)
		case "max:":
			s.Max(int64(ns))
		}
		return err
	})
}

func (r *rtlaHist) each(rest []byte, take func(s *foreign.Series, field []byte) error) error {
	i := 0
	for field := range bytes.FieldsSeq(rest) {
		if i == len(r.columns) {
			return nil
		}
		if err := take(r.columns[i], field); err != nil {
			return fmt.Errorf("read histogram: %w", err)
		}
		i++
	}
	return nil
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
