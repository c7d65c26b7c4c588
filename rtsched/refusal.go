package rtsched

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// capabilities are those that measuring needs. More of them would keep the
// program from starting where the bounding set is smaller.
const capabilities = "cap_sys_nice,cap_ipc_lock+ep"

// explain tells apart why the kernel refused a policy: privilege, a cgroup
// without real-time budget, a container, or an admission test.
func (t Thread) explain(err error) error {
	err = fmt.Errorf("set %s: %w", t.what(), err)
	switch {
	case t.Policy == Deadline && errors.Is(err, unix.EBUSY):
		return remedy.Unavailable(err, "the admission test failed: SCHED_DEADLINE threads would take more than sched_rt_runtime_us of a CPU; ask for less runtime or end the others")
	case t.Policy == Deadline && errors.Is(err, unix.EINVAL):
		return remedy.Unavailable(err, "its period must lie within kernel.sched_deadline_period_min_us and kernel.sched_deadline_period_max_us")
	case !errors.Is(err, unix.EPERM):
		return err
	case !privileged(t.Priority):
		return remedy.Unavailable(err, noPrivilege())
	case t.Policy == Deadline:
		return remedy.Unavailable(err, "SCHED_DEADLINE with a CPU list needs an exclusive cpuset that holds just these CPUs; leave the CPU list out to run on any CPU")
	}
	if group, ok := withoutBudget(); ok {
		return remedy.Unavailable(err, fmt.Sprintf("the cgroup %s has no real-time budget (RT_GROUP_SCHED): give it one with `echo 900000 > %s/cpu.rt_runtime_us` (its parents first), or move this shell to the root cgroup", group, group))
	}
	return remedy.Unavailable(err, noPrivilege())
}

// privileged tells whether the process may set a real-time priority as far as
// capabilities and limits go.
func privileged(priority int) bool {
	if HasCapability(unix.CAP_SYS_NICE) {
		return true
	}
	var limit unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_RTPRIO, &limit) == nil && priority > 0 && limit.Cur >= uint64(priority)
}

// HasCapability tells whether the calling process has the capability, such as
// unix.CAP_SYS_NICE, in its effective set.
func HasCapability(capability int) bool {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		if hex, ok := strings.CutPrefix(line, "CapEff:"); ok {
			set, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			return err == nil && set&(1<<capability) != 0
		}
	}
	return false
}

func noPrivilege() string {
	exe, err := os.Executable()
	if err != nil {
		exe = "the program"
	}
	text := fmt.Sprintf("run as root, or `setcap %s %s`, or raise the rtprio and memlock limits (limits.conf); --policy other measures without real-time priority", capabilities, exe)
	if inContainer() {
		text += "; this is a container: start it with --cap-add=sys_nice --ulimit rtprio=99 --ulimit memlock=-1"
	}
	return text
}

func inContainer() bool {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return true
		}
	}
	return os.Getenv("container") != ""
}

// withoutBudget returns the directory of the process's v1 cpu cgroup when its
// cpu.rt_runtime_us is 0 (Documentation/scheduler/sched-rt-group.rst).
func withoutBudget() (string, bool) {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 || !hasController(fields[1], "cpu") {
			continue
		}
		for _, mount := range []string{"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"} {
			dir := mount + fields[2]
			budget, err := os.ReadFile(dir + "/cpu.rt_runtime_us")
			if err == nil && strings.TrimSpace(string(budget)) == "0" {
				return dir, true
			}
		}
	}
	return "", false
}

func hasController(list, name string) bool {
	for c := range strings.SplitSeq(list, ",") {
		if c == name {
			return true
		}
	}
	return false
}
