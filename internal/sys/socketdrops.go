package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// SocketDrops returns how many packets the kernel dropped because fd's buffer
// was full: SK_MEMINFO_DROPS, the ninth word of SO_MEMINFO (Linux 4.12,
// <linux/sock_diag.h>).
func SocketDrops(fd int) (int64, error) {
	var info [9]uint32
	size := uint32(unsafe.Sizeof(info))
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
		uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	if errno != 0 {
		return 0, errno
	}
	return int64(info[8]), nil
}
