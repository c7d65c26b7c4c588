package host

import "strings"

// memory sets what the machine has, how it gives out huge pages, and whether
// it swaps. The files are described in proc_meminfo(5) and in the kernel's
// Documentation/admin-guide/mm/transhuge.rst.
func (r Reader) memory(f facts) {
	for _, line := range r.lines("proc/meminfo") {
		switch key, value, _ := fields(line, ":"); key {
		case "MemTotal":
			f.set("memory.total", value)
		case "HugePages_Total":
			f.set("memory.hugepages", value)
		}
	}
	const thp = "sys/kernel/mm/transparent_hugepage/"
	f.set("thp", chosen(r.text(thp+"enabled"), "[", "]"))
	f.set("thp.defrag", chosen(r.text(thp+"defrag"), "[", "]"))
	f.set("memory.ksm", r.text("sys/kernel/mm/ksm/run"))
	f.set("memory.compaction_proactiveness", r.text("proc/sys/vm/compaction_proactiveness"))
	f.set("memory.numa_balancing", r.text("proc/sys/kernel/numa_balancing"))
	f.set("swap", r.swap())
	f.set("swap.swappiness", r.text("proc/sys/vm/swappiness"))
}

// swap names the devices in use with their sizes, or says "none".
func (r Reader) swap() string {
	lines := r.lines("proc/swaps")
	if len(lines) == 0 {
		return ""
	}
	var devices []string
	for _, line := range lines[1:] {
		if words := strings.Fields(line); len(words) >= 3 {
			devices = append(devices, words[0]+" "+words[2]+" kB")
		}
	}
	if devices == nil {
		return "none"
	}
	return strings.Join(devices, ", ")
}
