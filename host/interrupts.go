package host

import (
	"strconv"
	"strings"
)

// An interrupt is one line of /proc/interrupts or /proc/softirqs.
type interrupt struct {
	// name is the number with its devices ("36 virtio1-req.0"), or the name
	// that the architecture gives ("LOC").
	name string
	// counts are by CPU number.
	counts map[int]int64
}

// parseInterrupts reads /proc/interrupts or /proc/softirqs, whose first line
// names the CPUs that run, described in proc_interrupts(5). A line with a
// single count for the whole machine (ERR, MIS) is left out. After the counts
// of a numbered line come the chip, the hardware number with its trigger, and
// the devices that share the line; only the devices belong to the name, since
// numbers change from boot to boot and chips do not matter. A line that has no
// device is nobody's, and keeps its bare number.
func parseInterrupts(lines []string) []interrupt {
	if len(lines) == 0 {
		return nil
	}
	var cpus []int
	for _, word := range strings.Fields(lines[0]) {
		cpu, err := strconv.Atoi(strings.TrimPrefix(word, "CPU"))
		if err != nil || !strings.HasPrefix(word, "CPU") {
			return nil
		}
		cpus = append(cpus, cpu)
	}
	var all []interrupt
	for _, line := range lines[1:] {
		label, rest, ok := fields(line, ":")
		words := strings.Fields(rest)
		if !ok || label == "" || len(words) < len(cpus) {
			continue
		}
		if counts := parseCounts(cpus, words); counts != nil {
			all = append(all, interrupt{interruptName(label, words[len(cpus):]), counts})
		}
	}
	return all
}

// parseCounts returns nil when some count is not a number, as in a line that
// holds one count for the whole machine.
func parseCounts(cpus []int, words []string) map[int]int64 {
	counts := make(map[int]int64, len(cpus))
	for i, cpu := range cpus {
		n, err := strconv.ParseInt(words[i], 10, 64)
		if err != nil {
			return nil
		}
		counts[cpu] = n
	}
	return counts
}

// interruptName makes "36 virtio1-req.0" of the label 36 and the words "PCI-MSIX-0000:00:02.0",
// "1-edge", "virtio1-req.0". Chip names may have spaces; the devices are the
// words after the first one that ends in -edge, -fasteoi or alike, or Level or
// Edge as ARM and RISC-V write it.
func interruptName(label string, words []string) string {
	if _, err := strconv.Atoi(label); err != nil {
		return label
	}
	for i, word := range words {
		if isTrigger(word) {
			return strings.Join(append([]string{label}, words[i+1:]...), " ")
		}
	}
	return label
}

func isTrigger(word string) bool {
	switch word {
	case "Level", "Edge", "None":
		return true
	}
	_, kind, ok := strings.Cut(word, "-")
	if !ok {
		return false
	}
	switch kind {
	case "edge", "level", "fasteoi", "percpu", "simple":
		return true
	}
	return false
}
