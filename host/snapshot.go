package host

import (
	"strconv"
	"strings"

	"worstcase/results"
)

// A Snapshot is what a machine has counted since it booted, and the lowest and
// highest of what goes up and down. Two of them tell what happened between.
type Snapshot struct {
	counts map[string]int64
	low    map[string]float64
	high   map[string]float64
	clock  string
}

// Snapshot reads all counters. It takes milliseconds, so it belongs before and
// after a run, not into it.
func (r Reader) Snapshot() *Snapshot {
	s := &Snapshot{
		counts: map[string]int64{},
		low:    map[string]float64{},
		high:   map[string]float64{},
		clock:  r.text("sys/devices/system/clocksource/clocksource0/current_clocksource"),
	}
	s.interrupts("irq.", r.lines("proc/interrupts"))
	s.interrupts("softirq.", r.lines("proc/softirqs"))
	r.stat(s.counts)
	r.vmstat(s.counts)
	if count, ns, ok := r.throttled(); ok {
		s.counts["cgroup.throttled"], s.counts["cgroup.throttled_ns"] = count, ns
	}
	// Without a list of CPUs the figures by CPU are absent.
	if cpus, err := r.OnlineCPUs(); err == nil {
		r.throttling(s.counts, cpus)
		r.managementInterrupts(s.counts, cpus)
	}
	r.Watch(s)
	return s
}

func (s *Snapshot) interrupts(prefix string, lines []string) {
	for _, line := range parseInterrupts(lines) {
		for cpu, n := range line.counts {
			s.counts[prefix+line.name+".cpu"+strconv.Itoa(cpu)] = n
		}
	}
}

// Watch widens the extremes of s by the frequencies and temperatures of this
// moment. Without calls of it between, a run knows those of its ends only. Some
// sensors take milliseconds to read, on a slow bus.
func (r Reader) Watch(s *Snapshot) {
	if cpus, err := r.OnlineCPUs(); err == nil {
		s.extremes(r.frequencies(cpus))
	}
	s.extremes(r.temperatures())
}

func (s *Snapshot) extremes(now map[string]float64) {
	for key, v := range now {
		if low, ok := s.low[key]; !ok || v < low {
			s.low[key] = v
		}
		if high, ok := s.high[key]; !ok || v > high {
			s.high[key] = v
		}
	}
}

// Diff returns what changed from s to after:
//
//	irq.NAME.cpuN, softirq.NAME.cpuN          interrupts handled, when any
//	steal_ns, cpuN.steal_ns                   time the hypervisor took away, to 10 ms
//	cpuN.smi                                  system management interrupts
//	cpuN.core_throttle_count, cpuN.package_throttle_count  slowed down by heat
//	cgroup.throttled, cgroup.throttled_ns     stopped by a CPU quota
//	cpuN.frequency_min_khz, …_max_khz         as seen at the ends and by Watch
//	temperature.NAME_min_c, …_max_c           likewise
//	context_switches, forks, page_faults, …   of the whole machine
//	clock_source_changed                      1 when it did
//
// A counter that only one of the two has is left out. Of the many interrupt
// counters those that did not move are left out too; every other zero is
// something to know.
func (s *Snapshot) Diff(after *Snapshot) results.Figures {
	f := results.Figures{}
	for key, n := range after.counts {
		before, ok := s.counts[key]
		if d := n - before; ok && (d != 0 || !isInterrupt(key)) {
			f[key] = float64(d)
		}
	}
	ends := &Snapshot{low: map[string]float64{}, high: map[string]float64{}}
	for _, v := range []map[string]float64{s.low, s.high, after.low, after.high} {
		ends.extremes(v)
	}
	for key, low := range ends.low {
		unit := unitOf(key)
		f[key+"_min_"+unit], f[key+"_max_"+unit] = low, ends.high[key]
	}
	if s.clock != after.clock {
		f["clock_source_changed"] = 1
	}
	return f
}

func isInterrupt(key string) bool {
	return strings.HasPrefix(key, "irq.") || strings.HasPrefix(key, "softirq.")
}

func unitOf(key string) string {
	if strings.HasPrefix(key, "temperature.") {
		return "c"
	}
	return "khz"
}
