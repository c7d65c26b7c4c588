package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// LockMemory locks what is mapped now and later, each page when it is first
// touched. Without MCL_ONFAULT the kernel would populate the gigabyte of
// address space that a Go process reserves.
func LockMemory() error {
	return unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT)
}

// Shared maps the whole of a file of size bytes, shared and populated.
func Shared(fd, size int) ([]byte, error) {
	return unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
}

// Words views memory as 32-bit words: what all processes, MIPS ones too, can
// read and write as one.
func Words(b []byte) []uint32 {
	if len(b) < 4 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), len(b)/4)
}

// Values views memory as 64-bit integers.
func Values(b []byte) []int64 {
	return unsafe.Slice((*int64)(unsafe.Pointer(&b[0])), len(b)/8)
}
