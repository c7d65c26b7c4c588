package rtsched

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// AllowedCPUs are the CPUs on which the process may run, in order.
func AllowedCPUs() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("read affinity: %w", err)
	}
	var cpus []int
	for cpu := range len(set) * 64 {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// KeepOff moves every thread of the process, those to come and the processes
// that it starts included, off the measured CPUs. It returns false when no
// other CPU is allowed, and then changes nothing.
func KeepOff(measured []int) (bool, error) {
	allowed, err := AllowedCPUs()
	if err != nil {
		return false, err
	}
	rest := slices.DeleteFunc(allowed, func(cpu int) bool { return slices.Contains(measured, cpu) })
	if len(rest) == 0 {
		return false, nil
	}
	var set unix.CPUSet
	for _, cpu := range rest {
		set.Set(cpu)
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return false, fmt.Errorf("list own threads: %w", err)
	}
	for _, t := range threads {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		if err := unix.SchedSetaffinity(tid, &set); err != nil && err != unix.ESRCH {
			return false, fmt.Errorf("move own threads off cpus %v: %w", measured, err)
		}
	}
	return true, nil
}
