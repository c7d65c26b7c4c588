package results

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An Unread error lists what within folders couldn't be read. It comes beside the
// runs of all the rest.
type Unread struct{ Errors []error }

func (u *Unread) Error() string { return errors.Join(u.Errors...).Error() }

// Unwrap returns the errors.
func (u *Unread) Unwrap() []error { return u.Errors }

// Read reads the runs of files, of all run logs in folders and their folders,
// and of standard input for "-", in the order of their names. A file that is
// named but no run log is an error that wraps ErrNotLog; within a folder it is
// passed over, as is what begins with a dot, and what can't be read: then the
// error is an Unread.
func Read(keep Keep, paths ...string) ([]*Run, error) {
	var runs []*Run
	var unread Unread
	for _, path := range paths {
		list, err := readPath(keep, path)
		var some *Unread
		switch {
		case errors.As(err, &some):
			unread.Errors = append(unread.Errors, some.Errors...)
		case err != nil:
			return nil, err
		}
		runs = append(runs, list...)
	}
	if len(unread.Errors) > 0 {
		return runs, &unread
	}
	return runs, nil
}

func readPath(keep Keep, path string) ([]*Run, error) {
	if path == "-" {
		return ReadFrom(keep, os.Stdin, path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read run log: %w", err)
	case info.IsDir():
		return readFolder(keep, path)
	}
	return readFile(keep, path)
}

func readFile(keep Keep, path string) ([]*Run, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read run log: %w", err)
	}
	defer f.Close()
	return ReadFrom(keep, f, path)
}

// ReadFrom reads all runs of r and names source as where they are from.
func ReadFrom(keep Keep, r io.Reader, source string) ([]*Run, error) {
	var runs []*Run
	for run, err := range Runs(r, keep) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, err)
		}
		run.Source = source
		runs = append(runs, run)
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("read %s: %w", source, ErrNotLog)
	}
	return runs, nil
}

func readFolder(keep Keep, folder string) ([]*Run, error) {
	var runs []*Run
	var unread Unread
	pass := func(err error) error {
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // else it went meanwhile
			unread.Errors = append(unread.Errors, err)
		}
		return nil
	}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == folder:
			return err
		case err != nil:
			return pass(err)
		case path != folder && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		if is, err := isLog(path); !is {
			return pass(err)
		}
		list, err := readFile(keep, path)
		runs = append(runs, list...)
		if errors.Is(err, ErrNotLog) {
			return nil
		}
		return pass(err)
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read folder of runs: %w", err)
	case len(unread.Errors) > 0:
		return runs, &unread
	}
	return runs, nil
}

// isLog says whether path is a regular file, or a link to one, that begins as
// run logs do. Files without a size, as the kernel's own are, aren't opened.
func isLog(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false, err
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, len(linePrefix))
	switch _, err = io.ReadFull(f, head); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return false, nil
	case err != nil:
		return false, err
	}
	return string(head) == linePrefix, nil
}
