package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxLine bounds the length of a line. The longest honest ones are the totals
// of very many series, at a few kB each.
const maxLine = 64 << 20

// endless is the length of a line after which nobody waits for its end.
const endless = 1 << 30

// tailMax bounds the intervals that are kept undecoded, in bytes.
const tailMax = 1 << 20

// A Reader reads run logs, one or several after each other. Torn lines,
// wherever they are, lines of a type that it doesn't know, and fields that it
// doesn't know, are passed over; a run record that follows a torn line without
// a newline between is found.
type Reader struct {
	in   *bufio.Reader
	dec  decoder
	line []byte // holds a line longer than the buffer
	rest []byte // the run record found within a torn line
	torn int
	lost int // records in a place where no run has them
}

// NewReader returns a Reader from r. Reading is buffered.
func NewReader(r io.Reader) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 256<<10)}
}

// Next returns the next record with all that it holds, io.EOF at the end.
func (r *Reader) Next() (Record, error) {
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		if rec := r.parse(line); rec != nil {
			return rec, nil
		}
	}
}

// Intervals yields the intervals of one or several logs in r, with all that
// they hold, and passes over the rest without decoding it. After an error of r
// itself it yields that, and stops.
func Intervals(r io.Reader) iter.Seq2[*Interval, error] {
	return func(yield func(*Interval, error) bool) {
		in := NewReader(r)
		for {
			line, err := in.next()
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(nil, err)
				return
			case !wholeInterval(line):
				continue
			}
			if iv, ok := in.parse(line).(*Interval); ok && !yield(iv, nil) {
				return
			}
		}
	}
}

// Torn is the number of lines, so far, that were no whole record and were
// passed over.
func (r *Reader) Torn() int { return r.torn }

// next returns the next line that isn't empty, without the newline. It is
// valid until the call after it.
func (r *Reader) next() ([]byte, error) {
	if rest := r.rest; rest != nil {
		r.rest = nil
		return rest, nil
	}
	for {
		line, err := r.in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			line, err = r.long(line)
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read run log: %w", err)
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			return line, nil
		}
		if err == io.EOF {
			return nil, err
		}
	}
}

// long completes a line that begins with part. One longer than maxLine is
// passed over, as torn, an endless one is an error.
func (r *Reader) long(part []byte) (line []byte, err error) {
	r.line = append(r.line[:0], part...)
	dropped, length := false, len(part)
	for err = bufio.ErrBufferFull; err == bufio.ErrBufferFull; {
		if length > endless {
			return nil, errors.New("a line has no end within 1 GiB")
		}
		part, err = r.in.ReadSlice('\n')
		length += len(part)
		if dropped = dropped || len(r.line)+len(part) > maxLine; !dropped {
			r.line = append(r.line, part...)
		}
	}
	if dropped {
		r.torn++
		return nil, err
	}
	return r.line, err
}

// parse returns the record of a line, nil for a line to pass over.
func (r *Reader) parse(line []byte) Record {
	if wholeInterval(line) {
		if iv, err := parseInterval(line, &r.dec, true); err == nil {
			return iv
		}
		r.torn++
		return nil
	}
	rec, err := parseRecord(line)
	if err != nil {
		r.tear(line)
		return nil
	}
	return rec
}

// tear passes over a torn line, but for a run record at its end: that of a log
// which was appended to one that ends in the middle of a line.
func (r *Reader) tear(line []byte) {
	r.torn++
	if i := bytes.LastIndex(line, []byte(runPrefix)); i > 0 {
		r.rest = line[i:]
	}
}

// Runs yields the runs of one or several logs in r. A run without an end, and
// the part of a log before its first run, are no errors: the former is
// Truncated, both leave a warning. After an error of r itself it yields the run
// that it was reading, then the error with a nil run, and stops.
//
// Unless all is kept, histograms of intervals are decoded only where totals
// depend on them, after the last checkpoint of a log without an end. With
// KeepTotals, most intervals aren't looked at.
func Runs(r io.Reader, keep Keep) iter.Seq2[*Run, error] {
	return func(yield func(*Run, error) bool) {
		a := assembler{Reader: NewReader(r), keep: keep}
		for {
			run, err := a.assemble()
			if run != nil && !yield(run, nil) || err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// An assembler makes runs of lines.
type assembler struct {
	*Reader
	keep   Keep
	header *Header // of the next run
	point  []byte  // the line of the last checkpoint, of which only the last counts
	tail   []byte  // the lines of intervals that it doesn't cover
}

// assemble returns the next run, and an error when it is the last.
func (a *assembler) assemble() (*Run, error) {
	for a.header == nil {
		rec, err := a.Next()
		if err != nil {
			return nil, err
		}
		header, ok := rec.(*Header)
		if !ok {
			a.lost++
		}
		a.header = header
	}
	run := &Run{Keep: a.keep}
	err := run.take(a.header)
	a.header = nil
	for err == nil && a.header == nil {
		var line []byte
		if line, err = a.next(); err == nil {
			a.add(run, line)
		}
	}
	a.settle(run)
	a.warn(run)
	return run, err
}

// add puts one line into run, or keeps it as the header of the next.
func (a *assembler) add(run *Run, line []byte) {
	if a.keep != KeepAll && run.End == nil {
		if wholeInterval(line) && a.addFigures(run, line) {
			return
		}
		if bytes.HasPrefix(line, []byte(checkpointPrefix)) && json.Valid(line) {
			a.point, a.tail = append(a.point[:0], line...), a.tail[:0]
			return
		}
	}
	rec := a.parse(line)
	switch rec := rec.(type) {
	case nil:
		return
	case *Header:
		a.header = rec
		return
	case *End:
		a.point, a.tail = a.point[:0], a.tail[:0]
	}
	if run.take(rec) != nil {
		a.lost++
	}
}

// addFigures takes an interval line without its histogram, which waits in the
// tail for the next checkpoint to make it superfluous.
func (a *assembler) addFigures(run *Run, line []byte) bool {
	if a.keep == KeepFigures {
		iv, err := parseInterval(line, &a.dec, false)
		if err != nil {
			return false
		}
		run.keep(iv)
	}
	if len(a.tail)+len(line) > tailMax {
		a.settle(run)
	}
	a.tail = append(append(a.tail, line...), '\n')
	return true
}

// settle brings the totals up to date with checkpoint and tail.
func (a *assembler) settle(run *Run) {
	if len(a.point) > 0 {
		if rec := a.parse(a.point); rec == nil || run.take(rec) != nil {
			a.lost++
		}
	}
	for line := range bytes.Lines(a.tail) {
		iv, err := parseInterval(bytes.TrimSuffix(line, []byte("\n")), &a.dec, true)
		if err != nil {
			a.torn++
			continue
		}
		run.at = max(run.at, iv.At)
		total(&run.totals, iv.Series).Add(&iv.Tally)
	}
	a.point, a.tail = a.point[:0], a.tail[:0]
}

// warn tells what was passed over since the run before.
func (a *assembler) warn(run *Run) {
	if run.Schema > Schema {
		run.Warnings = append(run.Warnings, fmt.Sprintf("written in schema %d, newer than %d: figures may be misread", run.Schema, Schema))
	}
	if a.torn > 0 {
		run.Warnings = append(run.Warnings, "passed over: "+Counted(a.torn, "torn line"))
	}
	if a.lost > 0 {
		run.Warnings = append(run.Warnings, "passed over: "+Counted(a.lost, "record")+" outside of a run")
	}
	run.incomplete = a.torn+a.lost > 0
	a.torn, a.lost = 0, 0
}
