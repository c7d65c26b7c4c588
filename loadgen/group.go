package loadgen

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/containerd/cgroups/v3"
	specs "github.com/opencontainers/runtime-spec/specs-go"

	"worstcase/internal/remedy"
)

// A group is the cgroup of a load.
type group struct {
	add func(pid int, spec Spec) error
	// has tells whether a controller, by its name in v1, limits the group.
	has   map[string]bool
	notes []string
}

// newGroup makes the cgroup, in v1, v2 or both mixed, and enters it into the
// journal first. It returns nil, with a note why, on a machine without cgroups
// that the caller may make.
func newGroup(c Config, j *journal) (*group, []string, error) {
	var g *group
	var err error
	switch cgroups.Mode() {
	case cgroups.Unified:
		g, err = newUnified(c, j)
	case cgroups.Legacy, cgroups.Hybrid:
		g, err = newLegacy(c, j)
	default:
		err = fmt.Errorf("no cgroup file system is mounted")
	}
	if err != nil {
		if asked := c.needsGroup(nil); asked != "" {
			return nil, nil, remedy.Unavailable(fmt.Errorf("%s of the load: %w", asked, err), "run as root, or where cgroups may be made")
		}
		note := fmt.Sprintf("no cgroup holds the load (%v): process limits and CPU affinity stand in", err)
		return nil, []string{note}, nil
	}
	if asked := c.needsGroup(g.has); asked != "" {
		return nil, nil, remedy.Unavailable(fmt.Errorf("%s of the load: no cgroup controller for it may be used here", asked), "enable the controller, or leave the limit out")
	}
	return g, append(g.notes, c.missing(g.has)...), nil
}

// needsGroup names a limit that was asked for and that only a cgroup can set,
// when its controller isn't there.
func (c Config) needsGroup(has map[string]bool) string {
	switch {
	case c.Quota > 0 && !has["cpu"]:
		return fmt.Sprintf("hold the quota %.0f%%", c.Quota*100)
	case c.Weight > 0 && !has["cpu"]:
		return fmt.Sprintf("set the weight %d", c.Weight)
	case c.IOWeight > 0 && !has["blkio"]:
		return fmt.Sprintf("set the i/o weight %d", c.IOWeight)
	}
	return ""
}

// missing says which protections the cgroup doesn't give.
func (c Config) missing(has map[string]bool) []string {
	var notes []string
	for _, controller := range []string{"memory", "pids"} {
		if !has[controller] {
			notes = append(notes, fmt.Sprintf("no %s controller limits the load: its processes bound themselves", controller))
		}
	}
	return notes
}

// quotaPeriod is the kernel's default period of CPU quotas, in microseconds.
const quotaPeriod = uint64(100_000)

// resources are the limits in the words of cgroup v1, for the controllers there are.
func (c Config) resources(has map[string]bool) *specs.LinuxResources {
	r := &specs.LinuxResources{CPU: &specs.LinuxCPU{}}
	if has["cpu"] && c.Quota > 0 {
		quota, period := int64(c.Quota*float64(quotaPeriod)), quotaPeriod
		r.CPU.Quota, r.CPU.Period = &quota, &period
	}
	if has["cpu"] && c.Weight > 0 {
		shares := uint64(max(2, math.Round(float64(c.Weight)*1024/100)))
		r.CPU.Shares = &shares
	}
	if has["cpuset"] {
		r.CPU.Cpus = cpuList(c.CPUs)
	}
	if has["memory"] {
		limit := c.Memory
		r.Memory = &specs.LinuxMemory{Limit: &limit}
	}
	if has["pids"] {
		limit := int64(c.Pids)
		r.Pids = &specs.LinuxPids{Limit: &limit}
	}
	if has["blkio"] && c.IOWeight > 0 {
		weight := uint16(c.IOWeight)
		r.BlockIO = &specs.LinuxBlockIO{Weight: &weight}
	}
	return r
}

// withoutSwap forbids the group to swap where the kernel counts swap: a load
// that meets its limit shall be killed, not make the disk busy.
func (c Config) withoutSwap(dir string) {
	os.WriteFile(filepath.Join(dir, "memory.memsw.limit_in_bytes"), fmt.Appendf(nil, "%d", c.Memory), 0)
	os.WriteFile(filepath.Join(dir, "memory.swap.max"), []byte("0"), 0)
}

// usesPriority tells whether real-time threads belong to the load.
func (c Config) usesPriority() bool {
	return c.count(func(k Kind) bool { return k.Name == priorityName }) > 0
}

func hasWord(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}
