package loadgen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cleanTimeout is how long killed processes may take to be gone: those that
// write to a slow disk end when the disk has answered.
const cleanTimeout = 8 * time.Second

// clean kills what is in the journal's cgroup, or without one what carries its
// tag, removes the cgroup, puts settings back, and removes the journal. It may
// be called again when it failed.
func (j *journal) clean(m machine) error {
	if err := j.killAll(m); err != nil {
		return err
	}
	for _, dir := range j.Groups {
		if err := removeGroup(dir); err != nil {
			return err
		}
	}
	var errs []error
	for _, s := range j.Restore {
		if s.stillNeeded() {
			continue
		}
		if err := s.write(); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("put %s back: %w", s.File, err))
		}
	}
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		errs = append(errs, err)
	}
	os.Remove(filepath.Dir(j.path)) // if this was the last one
	return errors.Join(errs...)
}

// stillNeeded tells whether another load's cgroup lives by this setting: the
// controllers that a v2 cgroup gives to all below it. That load has noted them
// as well, and the last one puts them back.
func (s setting) stillNeeded() bool {
	dir, name := filepath.Split(s.File)
	others, err := filepath.Glob(filepath.Join(dir, prefix+"*"))
	return name == "cgroup.subtree_control" && err == nil && len(others) > 0
}

// write writes the setting. The kernel refuses while a removed cgroup below
// still counts, which is for an RCU grace period.
func (s setting) write() error {
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := os.WriteFile(s.File, []byte(s.Value), 0)
		refused := errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EBUSY)
		if !refused || time.Since(start) > time.Second {
			return err
		}
	}
}

// killAll sends SIGKILL until nobody is left.
func (j *journal) killAll(m machine) error {
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		left := j.members(m)
		if len(left) == 0 {
			return nil
		}
		if time.Since(start) > cleanTimeout {
			return fmt.Errorf("end the load: processes %v do not die", left)
		}
		j.kill(left)
	}
}

// kill kills the members of a frozen cgroup, which can't fork meanwhile.
func (j *journal) kill(members []int) {
	for _, dir := range j.Groups {
		if os.WriteFile(filepath.Join(dir, "cgroup.kill"), []byte("1"), 0) == nil { // v2, Linux 5.14
			return
		}
	}
	j.freeze("FROZEN", "1")
	for _, pid := range members {
		unix.Kill(pid, unix.SIGKILL)
	}
	j.freeze("THAWED", "0")
}

// freeze writes to the freezer of v1, or of v2. What fails is tried again in
// the next round, on the members left by then.
func (j *journal) freeze(v1, v2 string) {
	for _, dir := range j.Groups {
		os.WriteFile(filepath.Join(dir, "freezer.state"), []byte(v1), 0)
		os.WriteFile(filepath.Join(dir, "cgroup.freeze"), []byte(v2), 0)
	}
}

// members returns the processes of the load.
func (j *journal) members(m machine) []int {
	if len(j.Groups) == 0 {
		return m.tagged(j.name())
	}
	var list []int
	for _, dir := range j.Groups {
		filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				list = append(list, readPIDs(filepath.Join(path, "cgroup.procs"))...)
			}
			return nil
		})
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func readPIDs(path string) []int {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var list []int
	for _, f := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(f); err == nil && pid > 0 {
			list = append(list, pid)
		}
	}
	return list
}

// tagged returns the live processes with the tag in their environment.
func (m machine) tagged(name string) []int {
	proc := filepath.Join(m.root, "proc")
	entries, err := os.ReadDir(proc)
	if err != nil {
		return nil
	}
	want := []byte(tag + "=" + name + "\x00")
	var list []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		environment, err := os.ReadFile(filepath.Join(proc, e.Name(), "environ"))
		if err == nil && bytes.Contains(environment, want) {
			list = append(list, pid)
		}
	}
	return list
}

// removeGroup removes a cgroup with those below it. A cgroup is busy for a
// moment after its last process has gone.
func removeGroup(dir string) error {
	var dirs []string
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			dirs = append(dirs, path)
		}
		return nil
	})
	slices.Reverse(dirs) // children first
	for _, d := range dirs {
		err := unix.Rmdir(d)
		for start := time.Now(); errors.Is(err, unix.EBUSY) && time.Since(start) < cleanTimeout; err = unix.Rmdir(d) {
			time.Sleep(5 * time.Millisecond)
		}
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("remove cgroup %s: %w", d, err)
		}
	}
	return nil
}
