package loadgen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/containerd/cgroups/v3/cgroup1"
	"golang.org/x/sys/unix"
)

// legacyControllers are those of v1 that serve a load.
var legacyControllers = [...]cgroup1.Name{
	cgroup1.Freezer, cgroup1.Cpuset, cgroup1.Cpu, cgroup1.Cpuacct, cgroup1.Memory, cgroup1.Pids, cgroup1.Blkio,
}

// newLegacy makes the load's cgroups of v1 below the caller's own, in all
// hierarchies where the caller may.
func newLegacy(c Config, j *journal) (*group, error) {
	path := cgroup1.NestedPath(j.name())
	subsystems, dirs, err := legacySubsystems(path)
	if err != nil {
		return nil, err
	}
	g := &group{has: map[string]bool{}}
	for name, dir := range dirs {
		g.has[string(name)] = true
		if !slices.Contains(j.Groups, dir) { // cpu and cpuacct are often one
			j.Groups = append(j.Groups, dir)
		}
	}
	slices.Sort(j.Groups)
	// The weight's file is there only where a scheduler of the kernel heeds it.
	g.has["blkio"] = exists(filepath.Join(filepath.Dir(dirs[cgroup1.Blkio]), "blkio.weight"))
	if err := j.save(); err != nil {
		return nil, err
	}
	control, err := cgroup1.New(path, c.resources(g.has), cgroup1.WithHierarchy(func() ([]cgroup1.Subsystem, error) {
		return subsystems, nil
	}))
	if err != nil {
		return nil, fmt.Errorf("make cgroup %s: %w", j.name(), err)
	}
	if dir, ok := dirs[cgroup1.Memory]; ok {
		c.withoutSwap(dir)
	}
	outside := false // of the cpu cgroup, which has no real-time budget
	if dir, ok := dirs[cgroup1.Cpu]; ok && c.usesPriority() {
		if err := giveBudget(dir, j); err != nil {
			outside = true
			g.notes = append(g.notes, fmt.Sprintf("real-time threads of the load stay outside its cpu cgroup: %v", err))
		}
	}
	g.add = func(pid int, spec Spec) error {
		var names []cgroup1.Name
		for _, s := range control.Subsystems() {
			if !outside || spec.Kind != priorityName || s.Name() != cgroup1.Cpu {
				names = append(names, s.Name())
			}
		}
		return control.AddProc(uint64(pid), names...)
	}
	return g, nil
}

// legacySubsystems returns the hierarchies that the caller may use, with the
// directories that the load's cgroup will have there.
func legacySubsystems(path cgroup1.Path) ([]cgroup1.Subsystem, map[cgroup1.Name]string, error) {
	all, err := cgroup1.Default()
	if err != nil {
		return nil, nil, fmt.Errorf("find cgroup hierarchies: %w", err)
	}
	var usable []cgroup1.Subsystem
	dirs := map[cgroup1.Name]string{}
	for _, s := range all {
		located, ok := s.(interface{ Path(string) string })
		if !ok || !slices.Contains(legacyControllers[:], s.Name()) {
			continue
		}
		below, err := path(s.Name())
		if err != nil {
			continue // not mounted
		}
		dir := located.Path(below)
		if unix.Access(filepath.Dir(dir), unix.W_OK) != nil {
			continue
		}
		usable = append(usable, s)
		dirs[s.Name()] = dir
	}
	if len(usable) == 0 {
		return nil, nil, fmt.Errorf("make a cgroup: %w", unix.EACCES)
	}
	return usable, dirs, nil
}

// budget is what the load's real-time threads get of each second, in
// microseconds a CPU: one and a half times what they use.
const budget = 300_000

// giveBudget gives the v1 cpu cgroup dir, and from the top down those above it
// that have less, real-time budget (Documentation/scheduler/sched-rt-group.rst).
// What it raises above dir goes into the journal first. Without RT_GROUP_SCHED
// there is nothing to do.
func giveBudget(dir string, j *journal) error {
	chain := []string{dir}
	for up := filepath.Dir(dir); exists(filepath.Join(filepath.Dir(up), "cpu.rt_runtime_us")); up = filepath.Dir(up) {
		chain = append(chain, up) // all but the root
	}
	slices.Reverse(chain)
	for _, d := range chain {
		file := filepath.Join(d, "cpu.rt_runtime_us")
		now, err := readInt(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read real-time budget: %w", err)
		}
		if now >= budget {
			continue
		}
		if d != dir {
			// In front: the lowest must be lowered first.
			j.Restore = slices.Insert(j.Restore, 0, setting{File: file, Value: strconv.FormatInt(now, 10)})
			if err := j.save(); err != nil {
				return err
			}
		}
		if err := os.WriteFile(file, []byte(strconv.Itoa(budget)), 0); err != nil {
			return fmt.Errorf("give %s real-time budget: %w", strings.TrimPrefix(d, "/sys/fs/cgroup/"), err)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
