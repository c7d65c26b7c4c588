package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// SetThreadName names the calling thread; the kernel keeps 15 bytes.
func SetThreadName(name string) error {
	b, err := unix.BytePtrFromString(name)
	if err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(b)), 0, 0, 0)
}

// DieWithParent asks the kernel to send SIGKILL when the parent thread ends.
// It must be called after exec: exec of a file with capabilities clears it.
func DieWithParent() error {
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}
