package sys

import (
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

const ipcNoWait = 0o4000

// NewSemaphores makes a private set of n System V semaphores at 0 and returns
// its id, which holds in every process. A set outlives its processes: the caller
// removes it with RemoveSemaphores. Their number is bounded by kernel.sem.
func NewSemaphores(n int) (int, error) {
	id, _, errno := unix.Syscall(unix.SYS_SEMGET, 0, uintptr(n), 0o600)
	if errno != 0 {
		return -1, fmt.Errorf("make %d System V semaphores: %w", n, errno)
	}
	return int(id), nil
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
