package results

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"time"
)

// checkpointEvery is the time between checkpoints, in ns of the run.
const checkpointEvery = 60e9

// A Writer is a Sink that writes a run log: one record a line, each with one
// write, and a checkpoint of all totals a minute. Several runs may follow each
// other. It is for one goroutine.
//
// When a line can't be written, a file is cut back to its last whole line, Put
// returns the error, once, and the run should go on: the Writer goes on to
// count, and tries with every later interval and with the end to write a
// checkpoint, which makes up for the lines that are missing. The end then says
// how many these are (End.Unlogged), and Close returns the error again.
type Writer struct {
	// SyncEvery is the least time between two syncs of a file to its disk; 0
	// leaves all to Close. Syncing happens beside the writing, never in Put.
	// Create sets it to one second.
	SyncEvery time.Duration

	w        io.Writer
	file     *logFile // nil when w isn't a regular file
	line     []byte
	enc      encoder
	run      *Run // nil before the first header
	next     int64
	unlogged int
	failed   bool    // since the last whole line
	owed     *Header // could not be written
	err      error
}

// NewWriter returns a Writer to w, such as standard output or a pipe. When a
// write fails there, no further one is tried.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Put writes rec. Checkpoints are passed over, since a Writer makes its own. An
// end without series gets the totals of the intervals before it.
func (w *Writer) Put(rec Record) error {
	header, opens := rec.(*Header)
	interval, measured := rec.(*Interval)
	end, ends := rec.(*End)
	if _, ok := rec.(*Checkpoint); ok {
		return nil
	}
	if opens {
		own := *header
		own.Schema = Schema
		header, rec = &own, &own
		w.run, w.unlogged, w.next, w.owed = &Run{Keep: KeepTotals}, 0, checkpointEvery, header
	}
	if w.run == nil {
		return fmt.Errorf("write %s record: no run record before it", rec.recordType())
	}
	var err error
	if measured && interval.At > w.next && !w.failed {
		err = w.checkpoint()
	}
	if e := w.run.Put(rec); e != nil {
		return e
	}
	switch {
	case opens:
		return w.header()
	case ends:
		return w.end(end)
	case w.failed:
		w.unlogged++
		if measured {
			err = errors.Join(err, w.checkpoint())
		}
		return err
	}
	return w.write(rec)
}

// header writes the header, unless that was done.
func (w *Writer) header() error {
	if w.owed == nil {
		return nil
	}
	err := w.write(w.owed)
	if err == nil && !w.failed {
		w.owed = nil
	}
	return err
}

// checkpoint writes the totals so far.
func (w *Writer) checkpoint() error {
	w.next = w.run.at + checkpointEvery
	if err := w.header(); err != nil || w.owed != nil {
		return err
	}
	return w.write(&Checkpoint{At: w.run.at, Series: w.run.totals})
}

// end writes the end with what only the Writer knows.
func (w *Writer) end(end *End) error {
	if err := w.header(); err != nil || w.owed != nil {
		return err
	}
	own := *end
	own.Series = w.run.Totals()
	own.Unlogged += w.unlogged
	if w.file != nil && end.Reason != ReasonImported {
		own.After = Figures{"log.slowest_sync_ns": float64(w.SlowestSync())}
		maps.Copy(own.After, end.After)
	}
	return w.write(&own)
}

// write writes one line. It returns the first error only, and sets w.failed as
// long as lines fail.
func (w *Writer) write(rec Record) (err error) {
	if w.failed && w.file == nil {
		return nil
	}
	w.line, err = appendRecord(w.line[:0], rec, &w.enc)
	if err != nil {
		return err
	}
	w.line = append(w.line, '\n')
	if w.file != nil {
		err = w.file.writeLine(w.line)
	} else {
		_, err = w.w.Write(w.line)
	}
	if err != nil {
		return w.fail(rec, err)
	}
	w.failed = false
	if w.file != nil && w.SyncEvery > 0 {
		w.file.sync(w.SyncEvery)
	}
	return nil
}

// fail notes a failed write.
func (w *Writer) fail(rec Record, err error) error {
	if !w.failed && rec != w.owed {
		if _, point := rec.(*Checkpoint); !point {
			w.unlogged++
		}
	}
	w.failed = true
	if w.err != nil {
		return nil
	}
	w.err = fmt.Errorf("write run log: %w", err)
	return w.err
}

// SlowestSync is the longest time that a sync of the file took so far.
func (w *Writer) SlowestSync() time.Duration {
	if w.file == nil {
		return 0
	}
	return time.Duration(w.file.slowest.Load())
}

// Close syncs the file a last time, closes and unlocks it. It returns the
// first error of all writes and syncs. It doesn't close the w of NewWriter.
func (w *Writer) Close() error {
	if w.file == nil {
		return w.err
	}
	return errors.Join(w.err, w.file.close())
}
