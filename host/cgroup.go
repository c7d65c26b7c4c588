package host

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// cgroup returns our own folder in the hierarchy of a controller, relative to
// the root: that of the v1 hierarchy which has the controller, else of v2. It is
// empty when neither is mounted. See cgroups(7) and proc_pid_mountinfo(5).
func (r Reader) cgroup(controller string) string {
	v1, v2 := "", ""
	for _, line := range r.lines("proc/self/cgroup") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		switch {
		case slices.Contains(strings.Split(parts[1], ","), controller):
			v1 = parts[2]
		case parts[0] == "0":
			v2 = parts[2]
		}
	}
	folder := ""
	for _, line := range r.lines("proc/self/mountinfo") {
		before, after, ok := strings.Cut(line, " - ")
		mount, kind := strings.Fields(before), strings.Fields(after)
		if !ok || len(mount) < 5 || len(kind) < 3 {
			continue
		}
		switch {
		case kind[0] == "cgroup" && v1 != "" && slices.Contains(strings.Split(kind[2], ","), controller):
			return within(mount[4], mount[3], v1)
		case kind[0] == "cgroup2" && v2 != "" && folder == "":
			folder = within(mount[4], mount[3], v2)
		}
	}
	return folder
}

// within finds the folder of a group below a mount point that shows the
// hierarchy from root on, as in a container.
func within(point, root, group string) string {
	if root != "/" {
		group = strings.TrimPrefix(group, root)
	}
	return strings.TrimPrefix(path.Join(point, group), "/")
}

// throttled returns how often, and for how many ns, a CPU quota stopped our
// control group or one above it. Both are sums over these groups; ok tells
// whether there is any such count.
func (r Reader) throttled() (count, ns int64, ok bool) {
	folder := r.cgroup("cpu")
	for folder != "" && folder != "." {
		lines := r.lines(folder + "/cpu.stat")
		if lines == nil {
			break
		}
		for _, line := range lines {
			key, value, _ := fields(line, " ")
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				continue
			}
			switch key {
			case "nr_throttled":
				ok = true
				count += n
			case "throttled_time":
				ns += n
			case "throttled_usec":
				ns += n * 1000
			}
		}
		folder = path.Dir(folder)
	}
	return count, ns, ok
}
