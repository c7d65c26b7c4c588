package transport

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"worstcase/internal/sys"
)

// A cost is what some processes had used of the machine at some time.
type cost struct {
	at       int64 // CLOCK_MONOTONIC, ns
	cpu      int64 // ns
	switches int64
}

// costOf adds up what all threads of the processes have used, from
// /proc/PID/task/TID/schedstat: time on a CPU in ns, time waiting for one, and
// the number of turns on one, which is that of switches to the thread
// (Documentation/scheduler/sched-stats.rst). Threads that ended are not in it.
func costOf(pids []int) cost {
	c := cost{at: sys.Nanotime()}
	for _, pid := range pids {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			if f := strings.Fields(string(b)); len(f) == 3 {
				cpu, _ := strconv.ParseInt(f[0], 10, 64)
				turns, _ := strconv.ParseInt(f[2], 10, 64)
				c.cpu += cpu
				c.switches += turns
			}
		}
	}
	return c
}

// percent is the CPU time from a to b, of one CPU.
func (a cost) percent(b cost) float64 {
	if b.at <= a.at {
		return 0
	}
	return 100 * float64(b.cpu-a.cpu) / float64(b.at-a.at)
}

// memoryOf is the processes' proportional set size in bytes: memory that they
// share with each other counts once in their sum. From /proc/PID/smaps_rollup
// (Linux 4.14); processes that can't be read count nothing.
func memoryOf(pids []int) int64 {
	total := int64(0)
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			continue
		}
		for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
			if f := strings.Fields(lines.Text()); len(f) == 3 && f[0] == "Pss:" {
				kb, _ := strconv.ParseInt(f[1], 10, 64)
				total += kb * 1024
			}
		}
	}
	return total
}
