package sys

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mqAttr is struct mq_attr of <linux/mqueue.h>.
type mqAttr struct {
	flags, maxMsg, msgSize, curMsgs int
	_                               [4]int
}

// NewQueue makes a nameless POSIX message queue of depth messages of at most
// size bytes and returns its descriptor, which may be passed to other processes
// as any. Both are bounded by fs.mqueue.msg_max and msgsize_max for those
// without CAP_SYS_RESOURCE, and their product by RLIMIT_MSGQUEUE.
func NewQueue(name string, depth, size int) (int, error) {
	n, err := unix.BytePtrFromString(name)
	if err != nil {
		return -1, err
	}
	attr := mqAttr{maxMsg: depth, msgSize: size}
	fd, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(n)),
		unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o600, uintptr(unsafe.Pointer(&attr)), 0, 0)
	if errno != 0 {
		return -1, fmt.Errorf("make message queue of %d messages of %d bytes: %w", depth, size, errno)
	}
	if _, _, errno := unix.Syscall(unix.SYS_MQ_UNLINK, uintptr(unsafe.Pointer(n)), 0, 0); errno != 0 {
		unix.Close(int(fd))
		return -1, fmt.Errorf("unlink message queue: %w", errno)
	}
	return int(fd), nil
}

// QueueSend puts b into the queue, and waits for a place unless the queue's
// descriptor is non-blocking.
func QueueSend(fd int, b []byte, raw bool) unix.Errno {
	_, errno := call6(unix.SYS_MQ_TIMEDSEND, fd, unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), 0, raw)
	return errno
}

// QueueReceive takes the oldest message. b must be as long as the queue's
// longest message.
func QueueReceive(fd int, b []byte, raw bool) (int, unix.Errno) {
	return call6(unix.SYS_MQ_TIMEDRECEIVE, fd, unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), 0, raw)
}
