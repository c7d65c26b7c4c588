package klatency

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"worstcase/internal/remedy"
	"worstcase/internal/tracefs"
	"worstcase/session"
)

// A Freezer holds the kernel's trace ready to be stopped by a measuring thread,
// and copies it each time. Somebody's own tracing is used as it is; else
// scheduling, interrupts and timers are traced in a buffer of our own. It needs
// root.
type Freezer struct {
	fs     *tracefs.FS
	dir    string
	marker *os.File
	on     *os.File
	prefix string
	copies int
	warn   func(string)
}

// events are traced where nobody has asked for others.
var events = []string{"sched", "irq", "irq_vectors", "timer"}

// OpenFreezer starts tracing. The copies are called prefix.max-1 and so on,
// from the first number that is free; warn is told of each. The caller closes the freezer.
func OpenFreezer(prefix string, warn func(string)) (*Freezer, error) {
	tracer, err := tracefs.Open()
	if err != nil {
		return nil, err
	}
	f := &Freezer{fs: tracer, prefix: prefix, warn: warn}
	if err := f.open(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Freezer) open() error {
	if !f.inUse() {
		if err := f.ownInstance(); err != nil {
			return err
		}
	}
	if err := f.fs.Set(f.name("tracing_on"), "1"); err != nil {
		return err
	}
	var err error
	if f.marker, err = os.OpenFile(f.fs.Path(f.name("trace_marker")), os.O_WRONLY, 0); err != nil {
		return fmt.Errorf("open the trace's marker: %w", err)
	}
	if f.on, err = os.OpenFile(f.fs.Path(f.name("tracing_on")), os.O_RDWR, 0); err != nil {
		return fmt.Errorf("open the trace's switch: %w", err)
	}
	return nil
}

// inUse tells whether somebody has set up tracing already.
func (f *Freezer) inUse() bool {
	tracer, _ := f.fs.Read("current_tracer")
	set, _ := f.fs.Read("set_event")
	return tracer != "nop" || set != ""
}

func (f *Freezer) ownInstance() error {
	var err error
	if f.dir, err = f.fs.Instance(); err != nil {
		return err
	}
	if err := f.fs.Set(f.name("trace_clock"), "mono"); err != nil {
		return err
	}
	if err := f.fs.Set(f.name("buffer_size_kb"), "512"); err != nil {
		return err
	}
	for _, e := range events {
		enable := f.name(filepath.Join("events", e, "enable"))
		if !f.fs.Has(enable) {
			continue // irq_vectors is x86's
		}
		if err := f.fs.Set(enable, "1"); err != nil {
			return err
		}
	}
	return nil
}

func (f *Freezer) name(file string) string { return filepath.Join(f.dir, file) }

// Files are what the measuring threads write to: the marker and the switch.
func (f *Freezer) Files() []*os.File { return []*os.File{f.marker, f.on} }

// Poll copies the trace if a thread has stopped it, and starts it again.
func (f *Freezer) Poll() error {
	state := make([]byte, 1)
	if _, err := f.on.ReadAt(state, 0); err != nil {
		return fmt.Errorf("read whether the trace is on: %w", err)
	}
	if state[0] == '1' {
		return nil
	}
	var path string
	err := fs.ErrExist
	for errors.Is(err, fs.ErrExist) { // those of an earlier run
		f.copies++
		path = fmt.Sprintf("%s.max-%d", f.prefix, f.copies)
		err = f.copy(path)
	}
	if err != nil {
		return remedy.Hint(fmt.Errorf("keep the trace of a new maximum: %w", err), "traces are kept beside the run log: name one with -o, in a folder that can be written")
	}
	f.warn("a new maximum: its trace is in " + path)
	// Opening it to truncate empties the buffer.
	if err := os.Truncate(f.fs.Path(f.name("trace")), 0); err != nil {
		return fmt.Errorf("empty the trace: %w", err)
	}
	_, err = f.on.WriteAt([]byte("1"), 0)
	return err
}

// copy writes the trace to a file that must not exist yet.
func (f *Freezer) copy(path string) error {
	in, err := os.Open(f.fs.Path(f.name("trace")))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Close puts the tracer back. The threads must have ended.
func (f *Freezer) Close() error {
	for _, file := range []*os.File{f.marker, f.on} {
		if file != nil {
			file.Close()
		}
	}
	return f.fs.Close()
}

// Freezing is a source whose threads stop the trace of a freezer. It doesn't
// close that.
type Freezing struct {
	session.Source
	Freezer *Freezer
}

// Drain drains the source and keeps the trace of its new maximum.
func (s Freezing) Drain(rec *session.Recorder) error {
	err := s.Source.Drain(rec)
	if kept := s.Freezer.Poll(); kept != nil && err == nil {
		err = kept
	}
	return err
}
