package loadgen

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func syscallKind() Kind {
	return Kind{
		Name:     "syscall",
		Stresses: "system calls: short ones, dd from /dev/zero to /dev/null, long ones for random bytes",
		Counter:  "tracepoint raw_syscalls/sys_enter",
		Parts: []Part{
			{Name: "short", Unit: "call/s", start: startShort},
			{Name: "zero", Unit: "MB/s", Scale: zeroBlock / 1e6, start: startZero},
			{Name: "random", Unit: "call/s", start: startRandom},
		},
	}
}

func startShort(w *worker, lanes []*uint32) error {
	return w.thread(lanes[0], func() int {
		for range 256 {
			unix.Getppid()
		}
		return 256
	})
}

// zeroBlock is how much startZero moves with each pair of calls, in bytes.
const zeroBlock = 64 << 10

func startZero(w *worker, lanes []*uint32) error {
	zero, err := unix.Open("/dev/zero", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open /dev/zero: %w", err)
	}
	null, err := unix.Open("/dev/null", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open /dev/null: %w", err)
	}
	block := make([]byte, zeroBlock)
	return w.thread(lanes[0], func() int {
		unix.Read(zero, block)
		unix.Write(null, block)
		return 1
	})
}

// startRandom asks for 256 KiB of random bytes at a time: on kernels without
// preemption one of the longest calls that anybody may make.
func startRandom(w *worker, lanes []*uint32) error {
	block := make([]byte, 256<<10)
	return w.thread(lanes[0], func() int {
		n, _ := unix.Getrandom(block, 0)
		return min(n, 1)
	})
}
