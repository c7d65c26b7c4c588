package sys

import "golang.org/x/sys/unix"

// Commands of membarrier(2), from include/uapi/linux/membarrier.h (Linux 4.14).
const (
	membarrierPrivateExpedited         = 1 << 3
	membarrierRegisterPrivateExpedited = 1 << 4
)

// RegisterBarriers declares that this process will call Barrier.
func RegisterBarriers() error { return membarrier(membarrierRegisterPrivateExpedited) }

// Barrier makes every CPU that runs a thread of this process pass a memory
// barrier, by an interrupt.
func Barrier() error { return membarrier(membarrierPrivateExpedited) }

func membarrier(command uintptr) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, command, 0, 0); errno != 0 {
		return errno
	}
	return nil
}
