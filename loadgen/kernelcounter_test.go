package loadgen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A counter is a figure of the kernel that only grows.
type counter struct {
	name string
	read func(t *testing.T, l *Load) float64
}

var errNoCounter = errors.New("this machine lacks the counter")

// openCounters finds what a Kind's Counter names.
func openCounters(text string) ([]counter, error) {
	file, names, _ := strings.Cut(text, " ")
	switch {
	case file == "tracepoint":
		return perfCounter(names, unix.PERF_TYPE_TRACEPOINT)
	case text == "hardware cache misses":
		return perfCounter(names, unix.PERF_TYPE_HARDWARE)
	case text == "cpu time of the cgroup":
		return []counter{{text, groupTime}}, nil
	}
	var list []counter
	for _, name := range strings.FieldsFunc(names, func(r rune) bool { return r == ' ' || r == ',' }) {
		if name == "and" {
			continue
		}
		if _, err := row(file, name); err != nil {
			return nil, fmt.Errorf("%w: %w", errNoCounter, err)
		}
		list = append(list, counter{file + " " + name, func(t *testing.T, _ *Load) float64 {
			n, err := row(file, name)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}})
	}
	return list, nil
}

// row sums the numbers of the line that begins with name.
func row(file, name string) (float64, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 2 || strings.TrimSuffix(f[0], ":") != name {
			continue
		}
		sum := 0.0
		for _, figure := range f[1:] {
			n, err := strconv.ParseFloat(figure, 64)
			if err != nil {
				break
			}
			sum += n
		}
		return sum, nil
	}
	return 0, fmt.Errorf("%s has no %s", file, name)
}

// groupTime is the CPU time of the load's cgroup in seconds, 0 without a load.
func groupTime(t *testing.T, l *Load) float64 {
	t.Helper()
	if l == nil {
		return 0
	}
	seconds, err := cpuTime(l)
	if err != nil {
		t.Fatal(err)
	}
	return seconds
}

// cpuTime reads the CPU time of l's cgroup in seconds.
func cpuTime(l *Load) (float64, error) {
	j, err := readJournal(filepath.Join(l.host.stateDir(), l.journalName()))
	if err != nil {
		return 0, err
	}
	for _, dir := range j.Groups {
		if n, err := readInt(filepath.Join(dir, "cpuacct.usage")); err == nil {
			return float64(n) / 1e9, nil
		}
		if n, err := row(filepath.Join(dir, "cpu.stat"), "usage_usec"); err == nil {
			return n / 1e6, nil
		}
	}
	return 0, errNoCounter
}

// journalName is what l's supervisor calls its journal.
func (l *Load) journalName() string {
	p, err := l.host.process(l.Supervisor())
	if err != nil {
		return ""
	}
	return (&journal{PID: l.Supervisor(), Start: p.start}).name()
}

// perfCounter counts a tracepoint, or cache misses, on all CPUs.
//
// A tracepoint's name may be followed by "if" and a filter of its fields
// (Documentation/trace/events.rst).
func perfCounter(name string, sort uint32) ([]counter, error) {
	name, filter, filtered := strings.Cut(name, " if ")
	id := int64(unix.PERF_COUNT_HW_CACHE_MISSES)
	if sort == unix.PERF_TYPE_TRACEPOINT {
		var err error
		for _, root := range []string{"/sys/kernel/tracing", "/sys/kernel/debug/tracing"} {
			if id, err = readInt(filepath.Join(root, "events", name, "id")); err == nil {
				break
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNoCounter, err)
		}
	}
	var fds []int
	for cpu := range runtime.NumCPU() {
		attr := unix.PerfEventAttr{Type: sort, Config: uint64(id), Size: unix.PERF_ATTR_SIZE_VER0}
		fd, err := unix.PerfEventOpen(&attr, -1, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			return nil, fmt.Errorf("%w: count %s: %w", errNoCounter, name, err)
		}
		if filtered {
			err := unix.IoctlSetString(fd, unix.PERF_EVENT_IOC_SET_FILTER, filter)
			if err != nil {
				return nil, fmt.Errorf("filter %s by %s: %w", name, filter, err)
			}
		}
		fds = append(fds, fd)
	}
	return []counter{{name, func(t *testing.T, _ *Load) float64 {
		sum := uint64(0)
		for _, fd := range fds {
			b := make([]byte, 8)
			if _, err := unix.Read(fd, b); err != nil {
				t.Fatal(err)
			}
			sum += binary.NativeEndian.Uint64(b)
		}
		return float64(sum)
	}}}, nil
}
