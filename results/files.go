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

// Read reads the runs of files, of all run logs in folders and their folders,
// and of standard input for "-", in the order of their names. A file that is
// named but no run log is an error that wraps ErrNotLog; within a folder it is
// passed over, as is what begins with a dot.
func Read(keep Keep, paths ...string) ([]*Run, error) {
	var runs []*Run
	for _, path := range paths {
		list, err := readPath(keep, path)
		if err != nil {
			return nil, err
		}
		runs = append(runs, list...)
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
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != folder && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir() || !isLog(path):
			return nil
		}
		list, err := readFile(keep, path)
		runs = append(runs, list...)
		if errors.Is(err, ErrNotLog) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read folder of runs: %w", err)
	}
	return runs, nil
}

// isLog says whether path is a regular file, or a link to one, that begins as
// run logs do.
func isLog(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(linePrefix))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == linePrefix
}
