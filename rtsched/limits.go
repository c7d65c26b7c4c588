package rtsched

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// leastAddressSpace is what Go's runtime and the rings fit into, in bytes: 128
// MiB, and 2 GiB with words of 64 bits, of which it reserves far more than it uses.
const leastAddressSpace = 128 << 20 << (^uint(0) >> 63 * 4)

// CheckLimits refuses limits of the process under which a sampler with so many
// threads can't start. Go's runtime would end the process for them, with a trace.
func CheckLimits(threads int) error {
	var space, processes unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &space); err == nil && space.Cur < leastAddressSpace {
		err := fmt.Errorf("start sampler: the address space is limited to %d MiB (RLIMIT_AS)", space.Cur>>20)
		return remedy.Unavailable(err, fmt.Sprintf("it takes %d MiB, most of it never touched: `ulimit -v unlimited`", leastAddressSpace>>20))
	}
	if os.Getuid() == 0 || HasCapability(unix.CAP_SYS_RESOURCE) || HasCapability(unix.CAP_SYS_ADMIN) {
		return nil // RLIMIT_NPROC holds for others only
	}
	need := threads + runtime.GOMAXPROCS(0) + 8 // the runtime has some of its own in both processes
	if err := unix.Getrlimit(unix.RLIMIT_NPROC, &processes); err == nil && processes.Cur < 1024 {
		if used := userThreads(os.Getuid()); used+need > int(processes.Cur) {
			err := fmt.Errorf("start sampler: the user has %d of at most %d threads (RLIMIT_NPROC)", used, processes.Cur)
			return remedy.Unavailable(err, fmt.Sprintf("it takes %d more: end other programs, or raise `ulimit -u`", need))
		}
	}
	return nil
}

// userThreads counts the threads of a user (proc(5)). The owner of a folder there
// is no help: programs with capabilities have theirs owned by root.
func userThreads(uid int) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range files {
		status, err := os.ReadFile(path)
		if err != nil {
			continue // it ended meanwhile
		}
		threads, mine := 0, false
		for line := range strings.Lines(string(status)) {
			switch f := strings.Fields(line); {
			case len(f) > 1 && f[0] == "Uid:":
				mine = f[1] == strconv.Itoa(uid)
			case len(f) > 1 && f[0] == "Threads:":
				threads, _ = strconv.Atoi(f[1])
			}
		}
		if mine {
			n += threads
		}
	}
	return n
}

// LimitCPUTime sets RLIMIT_RTTIME for the process: the kernel kills it when one
// of its real-time threads runs this long without sleeping. It is the last
// resort against a loop that holds a CPU for ever; Go swallows the soft
// limit's SIGXCPU, so both limits are the same.
func LimitCPUTime(limit time.Duration) error {
	us := uint64(limit.Microseconds())
	if err := unix.Setrlimit(unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: us, Max: us}); err != nil {
		return fmt.Errorf("limit real-time cpu time to %s: %w", limit, err)
	}
	return nil
}
