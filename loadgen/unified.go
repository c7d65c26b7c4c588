package loadgen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/containerd/cgroups/v3"
	"github.com/containerd/cgroups/v3/cgroup2"
)

const unifiedMount = "/sys/fs/cgroup"

// newUnified makes the load's cgroup of v2: in the root, or else beside the
// caller's own. It can't lie below the caller's own, which holds processes.
func newUnified(c Config, j *journal) (*group, error) {
	_, own, err := cgroups.ParseCgroupFileUnified("/proc/self/cgroup")
	if err != nil {
		return nil, fmt.Errorf("find own cgroup: %w", err)
	}
	var why error
	for _, parent := range []string{"/", filepath.Dir(own)} {
		g, err := newUnifiedIn(parent, c, j)
		if err == nil {
			return g, nil
		}
		if why == nil {
			why = err
		}
	}
	return nil, why
}

// v2 names of v1's controllers.
var unifiedNames = [...][2]string{{"cpu", "cpu"}, {"cpuset", "cpuset"}, {"memory", "memory"}, {"pids", "pids"}, {"io", "blkio"}}

func newUnifiedIn(parent string, c Config, j *journal) (*group, error) {
	up := filepath.Join(unifiedMount, parent)
	offered, err := os.ReadFile(filepath.Join(up, "cgroup.controllers"))
	if err != nil {
		return nil, fmt.Errorf("read the controllers of %s: %w", up, err)
	}
	enabled, err := os.ReadFile(filepath.Join(up, "cgroup.subtree_control"))
	if err != nil {
		return nil, fmt.Errorf("read the controllers of %s: %w", up, err)
	}
	g := &group{has: map[string]bool{}}
	for _, names := range unifiedNames {
		g.has[names[1]] = hasWord(string(offered), names[0])
	}
	g.has["blkio"] = g.has["blkio"] && exists("/sys/module/bfq")
	resources := cgroup2.ToResources(c.resources(g.has))
	var off []string
	noted := j.notedByOthers(filepath.Join(up, "cgroup.subtree_control"))
	for _, name := range resources.EnabledControllers() {
		if !hasWord(string(enabled), name) || hasWord(noted, "-"+name) {
			off = append(off, "-"+name)
		}
	}
	dir := filepath.Join(up, j.name())
	j.Groups, j.Restore = []string{dir}, nil
	if len(off) > 0 {
		j.Restore = []setting{{File: filepath.Join(up, "cgroup.subtree_control"), Value: strings.Join(off, " ")}}
	}
	if err := j.save(); err != nil {
		return nil, err
	}
	manager, err := cgroup2.NewManager(unifiedMount, filepath.Join(parent, j.name()), resources)
	if err != nil {
		j.Groups, j.Restore = nil, nil
		return nil, fmt.Errorf("make cgroup %s: %w", dir, err)
	}
	if g.has["memory"] {
		c.withoutSwap(dir)
	}
	g.add = func(pid int, _ Spec) error { return manager.AddProc(uint64(pid)) }
	return g, nil
}
