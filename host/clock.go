package host

import (
	"path"
	"strings"
)

// clock sets the source of time and the device that raises timer interrupts.
func (r Reader) clock(f facts) {
	const source = "sys/devices/system/clocksource/clocksource0/"
	f.set("clock.source", r.text(source+"current_clocksource"))
	f.set("clock.available", r.text(source+"available_clocksource"))
	f.set("clock.event", r.text("sys/devices/system/clockevents/clockevent0/current_device"))
	f.set("clock.high_resolution", r.highResolution())
}

// highResolution tells whether timers are exact (1) or bound to the tick (0).
// The kernel says so in /proc/timer_list, which only root reads.
func (r Reader) highResolution() string {
	for _, line := range r.lines("proc/timer_list") {
		if key, value, ok := fields(line, ":"); ok && key == ".hres_active" {
			return value
		}
	}
	return ""
}

// scheduler sets the limits and habits of the kernel that reach into the
// latency of a real-time thread: see the kernel's
// Documentation/scheduler/sched-rt-group.rst for the first two.
func (r Reader) scheduler(f facts) {
	for key, name := range map[string]string{
		"sched.rt_runtime_us":     "sched_rt_runtime_us",
		"sched.rt_period_us":      "sched_rt_period_us",
		"sched.timer_migration":   "timer_migration",
		"sched.autogroup":         "sched_autogroup_enabled",
		"kernel.nmi_watchdog":     "nmi_watchdog",
		"kernel.soft_watchdog":    "soft_watchdog",
		"kernel.ftrace_enabled":   "ftrace_enabled",
		"kernel.split_lock":       "split_lock_mitigate",
		"kernel.watchdog_cpumask": "watchdog_cpumask",
	} {
		f.set(key, r.text("proc/sys/kernel/"+name))
	}
	f.set("sched.cgroup_rt_runtime_us", r.cgroupRuntime())
}

// cgroupRuntime is the real-time budget of our own control group (v1 with
// CONFIG_RT_GROUP_SCHED only).
func (r Reader) cgroupRuntime() string {
	if folder := r.cgroup("cpu"); folder != "" {
		return r.text(folder + "/cpu.rt_runtime_us")
	}
	return ""
}

// mitigations sets mitigations.NAME for every hardware fault that this CPU has,
// and mitigations to how many there are of how many known ones. See the
// kernel's Documentation/admin-guide/hw-vuln/index.rst.
func (r Reader) mitigations(f facts) {
	faults := r.glob("sys/devices/system/cpu/vulnerabilities/*")
	affected := int64(0)
	for _, name := range faults {
		if state := r.text(name); !strings.HasPrefix(state, "Not affected") {
			f.set("mitigations."+path.Base(name), state)
			affected++
		}
	}
	if len(faults) > 0 {
		f.setInt("mitigations", affected)
	}
}
