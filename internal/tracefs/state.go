package tracefs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// folder is where processes say what they have changed.
const folder = "/run/worstcase"

// A state is what a process has changed. It is on disk before the change is
// made, and its file is locked as long as the process lives.
type state struct {
	file *os.File
	// Settings hold the old values, in the order in which they were changed.
	Settings  []setting `json:"settings,omitempty"`
	Instances []string  `json:"instances,omitempty"`
}

type setting struct {
	Name string `json:"name"`
	Old  string `json:"old"`
}

// keep notes the old value of a setting that is changed for the first time.
func (f *FS) keep(name, old string) error {
	if slices.ContainsFunc(f.state.Settings, func(s setting) bool { return s.Name == name }) ||
		slices.ContainsFunc(f.state.Instances, func(i string) bool { return strings.HasPrefix(name, i+"/") }) {
		return nil
	}
	f.state.Settings = append(f.state.Settings, setting{name, old})
	return f.state.save()
}

func (f *FS) keepInstance(name string) error {
	f.state.Instances = append(f.state.Instances, name)
	return f.state.save()
}

// save writes the state to its file, which it makes first.
func (s *state) save() error {
	if s.file == nil {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return unwritable(err)
		}
		path := filepath.Join(folder, fmt.Sprintf("trace-%d.json", os.Getpid()))
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return unwritable(err)
		}
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			file.Close()
			return fmt.Errorf("lock %s: %w", path, err)
		}
		s.file = file
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if _, err := s.file.WriteAt(append(b, '\n'), 0); err != nil {
		return fmt.Errorf("keep trace settings: %w", err)
	}
	return nil
}

// unwritable is why nothing can be noted, so that nothing may be changed.
func unwritable(err error) error {
	return remedy.Unavailable(fmt.Errorf("keep trace settings: %w", err),
		"they are noted in "+folder+", to be put back after a kill: make it a folder that root can write")
}

// restore puts back all that s says, last change first, and removes its file.
// What can't be put back is told, once, and keeps nothing else from it.
func (f *FS) restore(s *state) error {
	var errs []error
	for _, name := range slices.Backward(s.Instances) {
		errs = append(errs, f.remove(name))
	}
	for _, old := range slices.Backward(s.Settings) {
		errs = append(errs, f.write(old.Name, old.Old))
	}
	if s.file != nil {
		errs = append(errs, os.Remove(s.file.Name()), s.file.Close())
	}
	*s = state{}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("put the tracer back: %w", err)
	}
	return nil
}

// remove stops an instance's tracer and removes it.
func (f *FS) remove(name string) error {
	if _, err := os.Stat(f.Path(name)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(
		f.write(filepath.Join(name, "tracing_on"), "0"),
		f.write(filepath.Join(name, "current_tracer"), "nop"),
		os.Remove(f.Path(name)),
	)
}

// recover puts back what processes changed that no longer live: their files
// are there, but not locked.
func (f *FS) recover() error {
	paths, err := filepath.Glob(filepath.Join(folder, "trace-*.json"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue // put back by another process meanwhile
		}
		if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
			file.Close() // its process lives
			continue
		}
		s := state{file: file}
		if err := json.NewDecoder(file).Decode(&s); err != nil {
			// Killed before the first change was noted: nothing was changed.
			s.Settings, s.Instances = nil, nil
		}
		if err := f.restore(&s); err != nil {
			return err
		}
	}
	return nil
}
