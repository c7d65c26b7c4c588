package sys

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// semBuf is struct sembuf of <linux/sem.h>.
type semBuf struct {
	number    uint16
	operation int16
	flags     int16
}

// Of <linux/ipc.h> and <linux/sem.h>.
const (
	ipcNoWait   = 0o4000
	semGetPID   = 11
	semSetValue = 16
)

// NewSemaphores makes a set of n System V semaphores at 0 under a key that nobody
// has yet (else EEXIST), and returns its id, which holds in every process. A set
// outlives its processes: the caller removes it with RemoveSemaphores. Their
// number is bounded by kernel.sem. The set remembers its maker; see
// SemaphoreMaker.
func NewSemaphores(key int32, n int) (int, error) {
	id, _, errno := unix.Syscall(unix.SYS_SEMGET, uintptr(uint32(key)), uintptr(n+1), unix.IPC_CREAT|unix.IPC_EXCL|0o600)
	if errno != 0 {
		return -1, fmt.Errorf("make %d System V semaphores: %w", n, errno)
	}
	if _, _, errno := unix.Syscall6(unix.SYS_SEMCTL, id, uintptr(n), semSetValue, 0, 0, 0); errno != 0 {
		return -1, errors.Join(fmt.Errorf("set a System V semaphore: %w", errno), RemoveSemaphores(int(id)))
	}
	return int(id), nil
}

// SemaphoreMaker returns the process that made the set id of n semaphores and
// one more: it was the last to touch that one.
func SemaphoreMaker(id, n int) (pid int, err error) {
	r, _, errno := unix.Syscall6(unix.SYS_SEMCTL, uintptr(id), uintptr(n), semGetPID, 0, 0, 0)
	if errno != 0 {
		return 0, fmt.Errorf("ask for the maker of System V semaphores: %w", errno)
	}
	return int(r), nil
}

// RemoveSemaphores removes a set; whoever waits on it gets EIDRM.
func RemoveSemaphores(id int) error {
	if _, _, errno := unix.Syscall6(unix.SYS_SEMCTL, uintptr(id), 0, unix.IPC_RMID, 0, 0, 0); errno != 0 {
		return fmt.Errorf("remove System V semaphores: %w", errno)
	}
	return nil
}

// RaiseSemaphore adds one to a semaphore of set id. It never blocks: ERANGE says
// that the semaphore is at its highest.
//
//go:nosplit
func RaiseSemaphore(id, number int) unix.Errno {
	return semop(id, semBuf{number: uint16(number), operation: 1, flags: ipcNoWait})
}

// LowerSemaphore waits until a semaphore is above 0 and takes one away; the
// call is raw, see SleepUntil.
//
//go:nosplit
func LowerSemaphore(id, number int) unix.Errno {
	return semop(id, semBuf{number: uint16(number), operation: -1})
}

//go:nosplit
func semop(id int, b semBuf) unix.Errno {
	_, _, errno := unix.RawSyscall6(semTimedOp, uintptr(id), uintptr(unsafe.Pointer(&b)), 1, 0, 0, 0)
	return errno
}
