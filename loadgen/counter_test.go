package loadgen

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/rtsched"
)

const (
	// window is how long a counter is watched at a time.
	window = 100 * time.Millisecond
	// attempts to meet a quiet moment: a compiler beside the test makes as many
	// page faults and processes as a load.
	attempts = 4
)

// TestKindsRaiseTheirCounters holds every kind to what it claims. The machine
// may be busy otherwise: idle is the quietest of some windows before and after.
func TestKindsRaiseTheirCounters(t *testing.T) {
	for _, k := range Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			counters, err := openCounters(k.Counter)
			if errors.Is(err, errNoCounter) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if k.Name == priorityName {
				release, err := rtsched.LockMachine(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				defer release()
			}
			for attempt := 1; ; attempt++ {
				complaints := compare(t, k, counters)
				if len(complaints) == 0 {
					return
				}
				if attempt == attempts {
					t.Fatal(strings.Join(complaints, "; "))
				}
				t.Logf("attempt %d: %s", attempt, strings.Join(complaints, "; "))
			}
		})
	}
}

// compare runs the kind on every CPU and returns which counters it doesn't raise
// tenfold.
func compare(t *testing.T, k Kind, counters []counter) []string {
	idle := watch(t, counters, nil)
	l := New(Config{Kinds: []Spec{{Kind: k.Name, Count: PerCPU}}})
	start(t, l)
	busy := watch(t, counters, l)
	for label, rate := range l.Rates() {
		if rate.Rate <= 0 {
			t.Errorf("%s achieved nothing", label)
		}
		t.Logf("%s: %.0f %s", label, rate.Rate, rate.Unit)
	}
	if err := l.Stop(); err != nil {
		t.Fatal(err)
	}
	idle = lowest(idle, watch(t, counters, nil))
	var complaints []string
	for i, c := range counters {
		text := fmt.Sprintf("%s: %.1f/s idle, %.1f/s under load", c.name, idle[i], busy[i])
		t.Log(text)
		if busy[i] < 10*idle[i] || busy[i] == 0 {
			complaints = append(complaints, text+"; want ten times as many")
		}
	}
	return complaints
}

func start(t *testing.T, l *Load) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := l.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Stop() })
	for _, note := range l.Notes() {
		t.Log(note)
	}
}

// watch returns the rates of the counters per second: the lowest of a few
// windows, with a load their highest.
func watch(t *testing.T, counters []counter, l *Load) []float64 {
	t.Helper()
	var rates []float64
	for range 4 {
		before := make([]float64, len(counters))
		for i, c := range counters {
			before[i] = c.read(t, l)
		}
		begin := time.Now()
		time.Sleep(window)
		now := make([]float64, len(counters))
		for i, c := range counters {
			now[i] = (c.read(t, l) - before[i]) / time.Since(begin).Seconds()
		}
		switch {
		case rates == nil:
			rates = now
		case l == nil:
			rates = lowest(rates, now)
		default:
			for i := range rates {
				rates[i] = max(rates[i], now[i])
			}
		}
	}
	return rates
}

func lowest(a, b []float64) []float64 {
	least := make([]float64, len(a))
	for i := range a {
		least[i] = min(a[i], b[i])
	}
	return least
}

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
