package format

import (
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"

	"worstcase/results"
)

// Live makes a printer that shows a status line under what it prints, when out
// is a terminal: progress towards the end asked for, and the 99.9th percentile
// and the maximum so far. The line is erased before each line that the printer
// writes and at the end of the run, so nothing of it stays on the screen or in
// what has scrolled by. Off a terminal, or on a dumb one, the printer writes to
// out alone.
//
// What else is written to the same terminal meanwhile lands behind the status.
func Live(out *os.File, printer func(io.Writer) (results.Sink, error)) (results.Sink, error) {
	fd := int(out.Fd())
	if !term.IsTerminal(fd) || os.Getenv("TERM") == "dumb" {
		return printer(out)
	}
	s := &status{out: out, width: func() int {
		width, _, err := term.GetSize(fd)
		if err != nil || width == 0 {
			return 80
		}
		return width
	}}
	var err error
	s.printer, err = printer(s)
	return s, err
}

// status is a Sink around a printer, and the Writer that the printer writes to.
type status struct {
	out     io.Writer
	printer results.Sink
	width   func() int
	line    string // what stands under the last line now
	asked   float64
	series  map[int]bool
	seconds float64
	max     int64
	all     results.Histogram
}

// erase returns to the first column and clears the line: ECMA-48's CR and EL.
const erase = "\r\x1b[K"

// Put lets the printer print, then draws the line anew.
func (s *status) Put(r results.Record) error {
	line := ""
	switch r := r.(type) {
	case *results.Header:
		s.open(r)
	case *results.Interval:
		s.take(r)
		line = s.text()
	case *results.End:
		s.draw("")
	default:
		line = s.line
	}
	if err := s.printer.Put(r); err != nil {
		return err
	}
	return s.draw(line)
}

// Write puts whole lines above the status line.
func (s *status) Write(p []byte) (int, error) {
	if s.line == "" {
		return s.out.Write(p)
	}
	b := append([]byte(erase), p...)
	if _, err := s.out.Write(append(b, s.line...)); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (s *status) draw(line string) error {
	if line == s.line {
		return nil
	}
	s.line = line
	_, err := io.WriteString(s.out, erase+line)
	return err
}

func (s *status) open(h *results.Header) {
	s.series = map[int]bool{}
	for _, info := range shownSeries(h.Series) {
		s.series[info.ID] = true
	}
	if duration, ok := h.ConfigInt(results.ConfigDuration); ok {
		s.asked = float64(duration) / 1e9
	}
}

func (s *status) take(i *results.Interval) {
	if !s.series[i.Series] {
		return
	}
	s.seconds = max(s.seconds, float64(i.At)/1e9)
	if !i.Empty() {
		s.max = max(s.max, i.Max)
	}
	s.all.Add(i.Histogram)
}

// text writes the line, cut to fit on the screen.
func (s *status) text() string {
	line := hms(s.seconds)
	if s.asked > 0 {
		line += fmt.Sprintf(" of %s, %.0f %%", hms(s.asked), min(100, 100*s.seconds/s.asked))
	}
	if s.all.Count() > 0 {
		line += fmt.Sprintf("   so far p99.9 %.3f us, max %.3f us",
			float64(min(s.all.Quantile(0.999), s.max))/1000, float64(s.max)/1000)
	}
	// A line that reaches the last column may wrap.
	room := max(s.width()-1, 0)
	for utf8.RuneCountInString(line) > room {
		_, n := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-n]
	}
	return line
}
