package rtsched

import (
	"errors"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
)

// LockMemory locks the process's memory, each page from its first touch on. It
// needs CAP_IPC_LOCK or RLIMIT_MEMLOCK above what the process uses; a refusal
// carries a remedy.
func LockMemory() error {
	err := sys.LockMemory()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.EAGAIN) {
		var limit unix.Rlimit
		unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit)
		return remedy.Unavailable(fmt.Errorf("lock memory (RLIMIT_MEMLOCK is %d KiB): %w", limit.Cur/1024, err),
			"run as root, or `ulimit -l unlimited` (memlock in limits.conf), or setcap "+capabilities+" on the program")
	}
	if err != nil {
		return fmt.Errorf("lock memory: %w", err)
	}
	return nil
}

// MayLockMemory tells whether LockMemory has the privilege that it needs.
func MayLockMemory() bool {
	var limit unix.Rlimit
	return HasCapability(unix.CAP_IPC_LOCK) ||
		unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) == nil && limit.Cur == unix.RLIM_INFINITY
}

// Touch writes to every page of b, so that no later access faults. It changes
// nothing, though another process may write there at the same time.
func Touch(b []byte) {
	words := sys.Words(b)
	for i := 0; i < len(words); i += 4096 / 4 {
		atomic.AddUint32(&words[i], 0)
	}
}
