// Package format prints runs in the text forms that people's scripts already
// read: those of Xenomai's latency, klatency and switchbench from 2005 on, of
// EVL's latmus, and of rt-tests' cyclictest; and it reads these forms, and others
// that it writes. Each printer is a Sink over an io.Writer, and knows only the
// Header, the Intervals, the Checkpoints and the End of a run.
//
// The form says which age the words and columns are of; the tool in the Header
// says which of that age's tables it is.
package format

import (
	"fmt"
	"io"
	"strings"
	"time"

	"worstcase/results"
)

// The forms.
const (
	Xenomai3   = "xenomai3"   // Xenomai 2.6 and 3: µs, with mode switches
	Xenomai2   = "xenomai2"   // Xenomai 2.1 to 2.4: µs in twelve columns
	Xenomai20  = "xenomai2.0" // Xenomai 2.0, as in the mailing lists of 2005: ns
	Latmus     = "latmus"     // EVL
	Cyclictest = "cyclictest" // rt-tests
)

// Forms lists the names of all forms.
func Forms() []string { return []string{Xenomai3, Xenomai2, Xenomai20, Latmus, Cyclictest} }

// Default returns the form that a tool's users expect: that of the last
// version of its model.
func Default(tool string) string {
	switch tool {
	case "klatency", "switchbench":
		return Xenomai2
	}
	return Xenomai3
}

// Options say how much is printed. The zero value prints the table alone, with
// no header lines in it.
type Options struct {
	// Lines is the number of RTD lines from one pair of header lines to the
	// next. 0 is no header.
	Lines int
	// Quiet leaves out all but the end.
	Quiet bool
	// Histogram prints the samples by cells, Stats their mean and standard
	// deviation.
	Histogram, Stats bool
	// Cells is the number of cells, 300 when 0; CellSize their width, 1 µs when 0.
	Cells    int
	CellSize time.Duration
	// Gnuplot takes the histogram as a data file; nil for none.
	Gnuplot io.Writer
	// Notice takes what is not data, such as "running quietly"; nil for none.
	Notice io.Writer
	// JSON prints cyclictest's JSON file in place of its text.
	JSON bool
	// Nanoseconds is cyclictest's -N.
	Nanoseconds bool
}

func (o Options) cells() int {
	if o.Cells > 0 {
		return o.Cells
	}
	return 300
}

func (o Options) cellSize() int64 {
	if o.CellSize > 0 {
		return int64(o.CellSize)
	}
	return 1000
}

// New returns the printer of a form. It writes each line by one Write, as soon
// as the line is known. The first error of w ends all printing, and is
// returned from then on.
func New(form string, w io.Writer, o Options) (results.Sink, error) {
	out := &lines{w: w}
	switch form {
	case Xenomai3, Xenomai2, Xenomai20, Latmus:
		return &table{form: form, out: out, options: o}, nil
	case Cyclictest:
		if o.JSON {
			return &cyclictestJSON{out: out, options: o}, nil
		}
		return &cyclictest{out: out, options: o}, nil
	}
	return nil, fmt.Errorf("print in form %q: it is none of %s", form, strings.Join(Forms(), ", "))
}

// lines writes whole lines, and keeps the first error.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) printf(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

// hms writes seconds as hh:mm:ss, without their fraction. A time that misses a
// whole second by less than a microsecond is that second.
func hms(seconds float64) string {
	s := int64(seconds + 1e-6)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}
