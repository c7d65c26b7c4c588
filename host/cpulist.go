package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"worstcase/internal/remedy"
)

// maxCPU bounds the numbers in a list, so that a typing error cannot ask for
// gigabytes. Linux has been built for 8192.
const maxCPU = 1<<16 - 1

// ParseCPUList reads a list such as "0-3,6" and returns its CPUs in ascending
// order, each once. The empty list is no error. The form is that of the "list
// format" in cpuset(7).
func ParseCPUList(s string) ([]int, error) {
	if s = strings.TrimSpace(s); s == "" {
		return nil, nil
	}
	var cpus []int
	for _, part := range strings.Split(s, ",") {
		low, high, err := parseRange(part)
		if err != nil {
			return nil, fmt.Errorf("read cpu list %q: %w", s, err)
		}
		for cpu := low; cpu <= high; cpu++ {
			cpus = append(cpus, cpu)
		}
		// Overlapping ranges repeated without end must not pile up.
		if len(cpus) > 2*maxCPU {
			cpus = unique(cpus)
		}
	}
	return unique(cpus), nil
}

func unique(cpus []int) []int {
	slices.Sort(cpus)
	return slices.Compact(cpus)
}

func parseRange(s string) (low, high int, err error) {
	first, last, isRange := strings.Cut(strings.TrimSpace(s), "-")
	if low, err = parseCPU(first); err != nil || !isRange {
		return low, low, err
	}
	if high, err = parseCPU(last); err != nil {
		return 0, 0, err
	}
	if high < low {
		return 0, 0, fmt.Errorf("range %s runs backwards", s)
	}
	return low, high, nil
}

func parseCPU(s string) (int, error) {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is no cpu number", s)
	}
	if n > maxCPU {
		return 0, fmt.Errorf("cpu %d is beyond %d", n, maxCPU)
	}
	return int(n), nil
}

// FormatCPUList writes CPUs in ascending order as ParseCPUList reads them, with
// ranges where two or more follow each other: "0-3,6".
func FormatCPUList(cpus []int) string {
	var b strings.Builder
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(cpus[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(cpus[j]))
		}
		i = j + 1
	}
	return b.String()
}

// OnlineCPUs returns the CPUs that run, in ascending order.
func OnlineCPUs() ([]int, error) { return Reader{}.OnlineCPUs() }

// IsolatedCPUs returns the CPUs that isolcpus= keeps free of other work, in
// ascending order; there may be none.
func IsolatedCPUs() ([]int, error) { return Reader{}.IsolatedCPUs() }

// OnlineCPUs returns the CPUs that run, in ascending order. The error without
// sysfs is a remedy.ErrUnavailable.
func (r Reader) OnlineCPUs() ([]int, error) {
	const name = "sys/devices/system/cpu/online"
	cpus, err := ParseCPUList(r.text(name))
	if err == nil && len(cpus) == 0 {
		err = remedy.Unavailable(fmt.Errorf("find online cpus: %s is missing or empty", r.path(name)), remedy.MountSysfs)
	}
	return cpus, err
}

// IsolatedCPUs returns the CPUs that isolcpus= keeps free of other work, in
// ascending order; there may be none.
func (r Reader) IsolatedCPUs() ([]int, error) {
	return ParseCPUList(r.text("sys/devices/system/cpu/isolated"))
}
