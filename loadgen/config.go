package loadgen

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// A Config says what a load does and how much it may take. The zero Config is
// the idle load.
type Config struct {
	// Name is what tables call the load; "" means its kinds, joined by commas.
	Name  string `json:"name,omitempty"`
	Kinds []Spec `json:"kinds,omitempty"`
	// Commands are run by /bin/sh -c in the load's cgroup, again whenever they
	// have ended well, with standard output on standard error.
	Commands []string `json:"commands,omitempty"`
	// CPUs to run on; nil means all that the caller may use.
	CPUs []int `json:"cpus,omitempty"`
	// Memory limit in bytes; 0 means a quarter of what is available.
	Memory int64 `json:"memory,omitempty"`
	// Disk space in bytes that io may use; 0 means 256 MiB.
	Disk int64 `json:"disk,omitempty"`
	// Dir is where io makes its files, which have no names; "" means the first of
	// /var/tmp and the temporary directory that is on a disk and has room.
	Dir string `json:"dir,omitempty"`
	// Quota of CPU time in CPUs, 1.5 for 150 %; 0 means none.
	Quota float64 `json:"quota,omitempty"`
	// Weight against other cgroups, 1 to 10000 where 100 is ordinary; 0 leaves it.
	Weight int `json:"weight,omitempty"`
	// IOWeight, 1 to 1000 where 100 is ordinary; 0 leaves it.
	IOWeight int `json:"io_weight,omitempty"`
	// Pids is the limit of threads and processes; 0 means 4096.
	Pids int `json:"pids,omitempty"`
	// Priority of the priority kind's real-time threads; 0 means 10.
	Priority int `json:"priority,omitempty"`
}

const (
	maxWorkers = 256
	// workerMemory is what a worker holds besides what its kind asks for, with
	// its page tables and socket buffers, in bytes.
	workerMemory = 16 << 20
	// fillMemory is what a kind that fills memory needs besides, at least.
	fillMemory = 16 << 20
	// leastPids is how many threads a worker has before it does anything, and some.
	leastPids   = 10
	defaultDisk = 256 << 20
	leastDisk   = 4 << 20
)

// name returns what tables call the load.
func (c Config) name() string {
	if c.Name != "" {
		return c.Name
	}
	var parts []string
	for _, s := range c.Kinds {
		parts = append(parts, s.String())
	}
	parts = append(parts, c.Commands...)
	if len(parts) == 0 {
		return "idle"
	}
	return strings.Join(parts, ",")
}

// idle tells whether the load does nothing.
func (c Config) idle() bool { return len(c.Kinds) == 0 && len(c.Commands) == 0 }

// Check refuses what no machine with this one's CPUs could run: figures that mean
// nothing, CPUs that aren't there, and limits too tight for the kinds.
func (c Config) Check() error {
	_, err := c.counted()
	return err
}

// complete fills in the defaults and refuses what could hurt the machine.
func (c Config) complete(m machine) (Config, error) {
	c, err := c.counted()
	if err != nil {
		return c, err
	}
	if c, err = c.boundMemory(m); err != nil {
		return c, err
	}
	return c.boundDisk(m)
}

// counted checks c and fills in the defaults that don't depend on how full the
// machine is.
func (c Config) counted() (Config, error) {
	if err := c.check(); err != nil {
		return c, err
	}
	allowed, err := allowedCPUs()
	if err != nil {
		return c, err
	}
	if c.CPUs == nil {
		c.CPUs = allowed
	}
	for _, cpu := range c.CPUs {
		if !slices.Contains(allowed, cpu) {
			return c, remedy.Hint(fmt.Errorf("run the load on cpu %d: it is offline or not allowed here", cpu),
				fmt.Sprintf("choose among cpus %s", cpuList(allowed)))
		}
	}
	if c.Pids == 0 {
		c.Pids = 4096
	}
	if c.Priority == 0 {
		c.Priority = 10
	}
	if c.Disk == 0 {
		c.Disk = defaultDisk
	}
	c.Kinds = slices.Clone(c.Kinds)
	for i := range c.Kinds {
		if c.Kinds[i].Count == PerCPU {
			c.Kinds[i].Count = len(c.CPUs)
		}
		c.Kinds[i].Count = max(c.Kinds[i].Count, 1)
	}
	return c, c.checkRoom()
}

// checkRoom refuses limits that are too tight for the workers.
func (c Config) checkRoom() error {
	n := c.workers()
	switch {
	case n > maxWorkers:
		return remedy.Hint(fmt.Errorf("start %d load processes: %d is the most", n, maxWorkers), "start fewer of them")
	case c.Pids < n*leastPids:
		return remedy.Hint(fmt.Errorf("run %d load processes within %d threads and processes: they need %d", n, c.Pids, n*leastPids),
			"allow more of them or start fewer kinds")
	case c.Memory > 0 && c.Memory < c.leastMemory():
		return remedy.Hint(fmt.Errorf("run %d load processes in %d MiB of memory: they need %d MiB", n, c.Memory>>20, c.leastMemory()>>20),
			"allow more memory or start fewer kinds")
	case c.count(func(k Kind) bool { return k.Disk }) > 0 && c.diskShare() < leastDisk:
		return remedy.Hint(fmt.Errorf("share %d MiB of disk: each io process needs %d MiB", c.Disk>>20, leastDisk>>20),
			"allow more disk or start fewer io processes")
	}
	return nil
}

// check refuses figures that mean nothing.
func (c Config) check() error {
	for _, s := range c.Kinds {
		if _, err := s.find(); err != nil {
			return err
		}
	}
	switch {
	case c.Memory < 0 || c.Disk < 0 || c.Quota < 0 || c.Pids < 0:
		return errors.New("a limit of the load is negative")
	case c.Weight < 0 || c.Weight > 10000:
		return fmt.Errorf("weight %d of the load: it must be 1 to 10000", c.Weight)
	case c.IOWeight < 0 || c.IOWeight > 1000:
		return fmt.Errorf("i/o weight %d of the load: it must be 1 to 1000", c.IOWeight)
	case c.Priority < 0 || c.Priority > 98:
		return fmt.Errorf("priority %d of the load: it must be 1 to 98", c.Priority)
	}
	return nil
}

func (c Config) workers() int {
	n := len(c.Commands)
	for _, s := range c.Kinds {
		n += s.Count
	}
	return n
}

// count returns how many workers have a kind for which has is true.
func (c Config) count(has func(Kind) bool) int {
	n := 0
	for _, s := range c.Kinds {
		if k, err := s.find(); err == nil && has(k) {
			n += s.Count
		}
	}
	return n
}

// leastMemory is what the workers can't do without, in bytes.
func (c Config) leastMemory() int64 {
	return int64(c.workers())*workerMemory + int64(c.count(func(k Kind) bool { return k.Memory }))*fillMemory
}

// share is the memory in bytes that each worker of a memory-filling kind gets.
func (c Config) share() int64 {
	n := int64(c.count(func(k Kind) bool { return k.Memory }))
	if n == 0 {
		return 0
	}
	return (c.Memory - int64(c.workers())*workerMemory) / n
}

// diskShare is the disk space in bytes that each worker of a disk-filling kind gets.
func (c Config) diskShare() int64 {
	return c.Disk / max(1, int64(c.count(func(k Kind) bool { return k.Disk })))
}

// allowedCPUs returns the CPUs that the cpuset of the process allows, whatever
// its affinity: a measuring tool keeps itself off the CPUs that it measures, and
// its load must not stay off them.
func allowedCPUs() ([]int, error) {
	type answer struct {
		cpus []int
		err  error
	}
	got := make(chan answer)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with its widened affinity
		var set unix.CPUSet
		for cpu := range len(set) * bits.UintSize {
			set.Set(cpu)
		}
		err := unix.SchedSetaffinity(0, &set)
		set.Zero() // the kernel fills in no more than it knows
		if err == nil {
			err = unix.SchedGetaffinity(0, &set)
		}
		var cpus []int
		for cpu := range len(set) * bits.UintSize {
			if set.IsSet(cpu) {
				cpus = append(cpus, cpu)
			}
		}
		got <- answer{cpus, err}
	}()
	a := <-got
	if a.err != nil {
		return nil, fmt.Errorf("read the cpus that are allowed: %w", a.err)
	}
	return a.cpus, nil
}

// cpuList writes CPUs as the kernel does, but without ranges: 0,1,3.
func cpuList(cpus []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(cpus), " ", ","), "[]")
}
