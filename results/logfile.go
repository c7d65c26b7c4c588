package results

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// ErrInUse says that another process writes to a run log.
var ErrInUse = errors.New("in use by another process")

// ErrNotLog says that a file isn't a run log.
var ErrNotLog = errors.New("not a run log")

// Create opens a run log for writing, and locks it. "-" is standard output. A
// file that exists is refused with an error that wraps fs.ErrExist, unless
// extend is set: then the new runs follow those that it holds, on a line of
// their own. A file that another process writes to is refused with ErrInUse,
// one that holds something else with ErrNotLog. Devices and pipes are taken as
// they are.
func Create(path string, extend bool) (*Writer, error) {
	if path == "-" {
		return NewWriter(os.Stdout), nil
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("open run log: %w", err)
		}
		return NewWriter(f), nil
	}
	flags := os.O_RDWR | os.O_APPEND | os.O_CREATE
	if !extend {
		flags |= os.O_EXCL
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, fmt.Errorf("create run log: %w", err)
	}
	l := &logFile{file: f, syncing: make(chan struct{}, 1)}
	if err := l.take(); err != nil {
		f.Close()
		return nil, fmt.Errorf("open run log %s: %w", path, err)
	}
	return &Writer{SyncEvery: time.Second, file: l}, nil
}

// A logFile is a regular file that ends with a whole line.
type logFile struct {
	file *os.File
	size int64 // up to the last whole line

	syncing chan struct{} // holds a token while a sync runs
	synced  time.Time     // when the last one began
	slowest atomic.Int64  // ns
	mu      sync.Mutex
	err     error // the first of a sync
}

// take locks the file, and readies what is in it.
func (l *logFile) take() error {
	switch err := unix.Flock(int(l.file.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
	case errors.Is(err, unix.EWOULDBLOCK):
		return ErrInUse
	case err != nil:
		return fmt.Errorf("lock: %w", err)
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	l.size = info.Size()
	if l.size == 0 {
		return nil
	}
	head := make([]byte, min(l.size, int64(len(linePrefix))))
	if _, err := l.file.ReadAt(head, 0); err != nil {
		return err
	}
	if !bytes.HasPrefix([]byte(linePrefix), head) {
		return ErrNotLog
	}
	last := make([]byte, 1)
	if _, err := l.file.ReadAt(last, l.size-1); err != nil {
		return err
	}
	if last[0] != '\n' {
		return l.writeLine([]byte{'\n'})
	}
	return nil
}

// writeLine appends line, and on an error cuts back what was written of it.
func (l *logFile) writeLine(line []byte) error {
	if _, err := l.file.Write(line); err != nil {
		if cut := l.file.Truncate(l.size); cut != nil {
			return errors.Join(err, cut)
		}
		return err
	}
	l.size += int64(len(line))
	return nil
}

// sync begins a sync beside the caller when the last began at least every ago
// and none runs.
func (l *logFile) sync(every time.Duration) {
	now := time.Now()
	if now.Sub(l.synced) < every {
		return
	}
	select {
	case l.syncing <- struct{}{}:
	default:
		return
	}
	first := l.synced.IsZero()
	l.synced = now
	go func() {
		l.fdatasync()
		if first {
			l.note(syncFolder(filepath.Dir(l.file.Name())))
		}
		<-l.syncing
	}()
}

// fdatasync waits until the disk has all, and keeps the longest time.
func (l *logFile) fdatasync() {
	start := time.Now()
	err := unix.Fdatasync(int(l.file.Fd()))
	if took := int64(time.Since(start)); took > l.slowest.Load() {
		l.slowest.Store(took)
	}
	l.note(err)
}

// syncFolder makes the name of a new file as durable as what is in it. A folder
// that can't be opened or synced is left to the kernel.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, unix.EINVAL) {
		return err
	}
	return nil
}

func (l *logFile) note(err error) {
	if err == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = fmt.Errorf("sync run log: %w", err)
	}
}

func (l *logFile) close() error {
	l.syncing <- struct{}{} // after the one that runs
	l.fdatasync()
	return errors.Join(l.err, l.file.Close())
}
