package host

import (
	"strconv"
	"strings"
)

// nsPerTick is the unit of /proc/stat, USER_HZ, which is 100 a second on all
// architectures that Go runs on.
const nsPerTick = 10_000_000

// stat adds what /proc/stat counts since boot: stolen time in ns by CPU (to
// 10 ms; see proc_stat(5)), context switches and new processes.
func (r Reader) stat(counts map[string]int64) {
	for _, line := range r.lines("proc/stat") {
		words := strings.Fields(line)
		switch {
		case len(words) >= 9 && words[0] == "cpu":
			count(counts, "steal_ns", words[8], nsPerTick)
		case len(words) >= 9 && strings.HasPrefix(words[0], "cpu"):
			count(counts, words[0]+".steal_ns", words[8], nsPerTick)
		case len(words) >= 2 && words[0] == "ctxt":
			count(counts, "context_switches", words[1], 1)
		case len(words) >= 2 && words[0] == "processes":
			count(counts, "forks", words[1], 1)
		}
	}
}

// vmstat adds what the memory management counts since boot: page faults, swap
// traffic in pages, stalls for compaction, huge pages given out.
func (r Reader) vmstat(counts map[string]int64) {
	names := map[string]string{
		"pgfault":         "page_faults",
		"pgmajfault":      "page_faults_major",
		"pswpin":          "swap_in_pages",
		"pswpout":         "swap_out_pages",
		"compact_stall":   "compaction_stalls",
		"thp_fault_alloc": "thp_faults",
	}
	for _, line := range r.lines("proc/vmstat") {
		key, value, _ := fields(line, " ")
		if name := names[key]; name != "" {
			count(counts, name, value, 1)
		}
	}
}

// count stores unit times the number that a word holds, if it is one.
func count(counts map[string]int64, key, word string, unit int64) {
	if n, err := strconv.ParseInt(word, 10, 64); err == nil {
		counts[key] = n * unit
	}
}
