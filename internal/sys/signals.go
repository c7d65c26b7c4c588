package sys

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// BlockSignals blocks every signal on the calling thread, the runtime's SIGURG
// included: it would interrupt a sleep some eighty times a second.
func BlockSignals() error {
	var set unix.Sigset_t
	for i := range set.Val {
		set.Val[i] = ^set.Val[i]
	}
	return unix.PthreadSigmask(unix.SIG_SETMASK, &set, nil)
}

// SignalSet is the set that holds sig alone.
func SignalSet(sig unix.Signal) *unix.Sigset_t {
	var set unix.Sigset_t
	bits := int(unsafe.Sizeof(set.Val[0])) * 8
	set.Val[(int(sig)-1)/bits] |= 1 << ((int(sig) - 1) % bits)
	return &set
}
