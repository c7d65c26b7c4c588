package host

import (
	"fmt"
	"slices"
	"strings"
)

// cpu sets the facts of /proc/cpuinfo and of the topology folders, described
// in the kernel's Documentation/admin-guide/cputopology.rst.
func (r Reader) cpu(f facts) {
	info := r.cpuInfo()
	f.set("cpu.model", cpuModel(info))
	f.set("cpu.vendor", info["vendor_id"])
	f.set("cpu.microcode", info["microcode"])
	const cpus = "sys/devices/system/cpu/"
	if online, err := r.OnlineCPUs(); err == nil {
		f.setInt("cpu.count", int64(len(online)))
		f.set("cpu.topology", r.topology(online))
	}
	f.set("cpu.online", r.text(cpus+"online"))
	f.set("cpu.offline", r.text(cpus+"offline"))
	f.set("cpu.isolated", r.text(cpus+"isolated"))
	if full := r.text(cpus + "nohz_full"); full != "(null)" {
		f.set("cpu.nohz_full", full)
	}
	f.set("cpu.smt", r.text(cpus+"smt/control"))
	f.set("cpu.rcu_nocbs", r.bootOption("rcu_nocbs"))
	f.set("cpu.irq_affinity", r.bootOption("irqaffinity"))
}

// cpuInfo returns the entries of the first processor, and of the machine where
// an architecture has some. Of a repeated key the first value counts.
func (r Reader) cpuInfo() map[string]string {
	info := map[string]string{}
	for _, line := range r.lines("proc/cpuinfo") {
		key, value, ok := fields(line, ":")
		if _, seen := info[key]; ok && !seen {
			info[key] = value
		}
	}
	return info
}

// cpuModel names the processor. arm64 gives numbers only, which the Main ID
// Register assigns; mips, powerpc and riscv have names of their own.
func cpuModel(info map[string]string) string {
	for _, key := range []string{"model name", "cpu model", "cpu", "uarch", "isa"} {
		if info[key] != "" {
			return info[key]
		}
	}
	if info["CPU part"] == "" {
		return ""
	}
	return fmt.Sprintf("implementer %s part %s variant %s revision %s",
		info["CPU implementer"], info["CPU part"], info["CPU variant"], info["CPU revision"])
}

// topology counts packages, cores, threads and memory nodes of the CPUs that
// run. It is empty where the kernel tells no package.
func (r Reader) topology(online []int) string {
	packages, cores := map[string]bool{}, map[string]bool{}
	for _, cpu := range online {
		folder := fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/", cpu)
		id := r.text(folder + "physical_package_id")
		if id == "" {
			return ""
		}
		packages[id] = true
		cores[id+"/"+r.text(folder+"die_id")+"/"+r.text(folder+"cluster_id")+"/"+r.text(folder+"core_id")] = true
	}
	nodes := max(1, len(r.glob("sys/devices/system/node/node[0-9]*")))
	return fmt.Sprintf("packages=%d cores=%d threads=%d nodes=%d", len(packages), len(cores), len(online), nodes)
}

// frequency sets the facts of cpufreq: driver, governor and limits, each with
// the CPUs it holds for when they differ. Documented in the kernel's
// Documentation/admin-guide/pm/cpufreq.rst.
func (r Reader) frequency(f facts) {
	for key, file := range map[string]string{
		"cpu.governor":      "scaling_governor",
		"cpu.driver":        "scaling_driver",
		"cpu.min_khz":       "scaling_min_freq",
		"cpu.max_khz":       "scaling_max_freq",
		"cpu.energy_policy": "energy_performance_preference",
	} {
		f.set(key, r.perCPU("cpufreq/"+file))
	}
	f.set("cpu.boost", r.text("sys/devices/system/cpu/cpufreq/boost"))
	f.set("cpu.no_turbo", r.text("sys/devices/system/cpu/intel_pstate/no_turbo"))
}

// perCPU reads one file of every running CPU. One value for all stands alone;
// else each is followed by its CPUs: "performance:0-1 powersave:2-3".
func (r Reader) perCPU(file string) string {
	online, err := r.OnlineCPUs()
	if err != nil {
		return ""
	}
	cpus := map[string][]int{}
	for _, cpu := range online {
		if value := r.text(fmt.Sprintf("sys/devices/system/cpu/cpu%d/%s", cpu, file)); value != "" {
			cpus[value] = append(cpus[value], cpu)
		}
	}
	var parts []string
	for value, list := range cpus {
		if len(list) == len(online) {
			return value
		}
		parts = append(parts, value+":"+FormatCPUList(list))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// idle sets the facts of cpuidle: the driver, the governor, and the states of
// the first running CPU with their exit latencies, as the kernel's
// Documentation/admin-guide/pm/cpuidle.rst describes them.
func (r Reader) idle(f facts) {
	const folder = "sys/devices/system/cpu/cpuidle/"
	f.set("cpu.idle_driver", r.text(folder+"current_driver"))
	governor := r.text(folder + "current_governor")
	if governor == "" {
		governor = r.text(folder + "current_governor_ro")
	}
	f.set("cpu.idle_governor", governor)
	online, err := r.OnlineCPUs()
	if err != nil {
		return
	}
	var states []string
	// A CPU has at most ten states (CPUIDLE_STATE_MAX), so the lexical order
	// of their folders is their own.
	for _, state := range r.glob(fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpuidle/state*", online[0])) {
		s := fmt.Sprintf("%s %s us", r.text(state+"/name"), r.text(state+"/latency"))
		if r.text(state+"/disable") == "1" {
			s += " disabled"
		}
		states = append(states, s)
	}
	f.set("cpu.idle_states", strings.Join(states, ", "))
}
