package sys

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// SharedWord returns the 32-bit word at offset off of mem as an atomic. Words
// shared between processes have 32 bits because 64-bit atomics of 32-bit MIPS
// take a lock of the process. It panics when the word is not aligned to four
// bytes or not wholly within mem.
func SharedWord(mem []byte, off int) *atomic.Uint32 {
	return &SharedWords(mem, off, 1)[0]
}

// SharedWords returns n words of mem from offset off, as SharedWord does.
func SharedWords(mem []byte, off, n int) []atomic.Uint32 {
	p := unsafe.Pointer(&mem[off : off+4*n : off+4*n][0])
	if uintptr(p)%4 != 0 {
		panic("sys: shared words are not aligned")
	}
	return unsafe.Slice((*atomic.Uint32)(p), n)
}

// WaitWord sleeps while *w is value, at most timeout ns, as FutexWait does. With
// raw the runtime isn't told: some ten microseconds sooner, but a stop of the
// world waits for the end of the sleep.
func WaitWord(w *atomic.Uint32, value uint32, timeout int64, raw bool) unix.Errno {
	if raw {
		return FutexWait((*uint32)(unsafe.Pointer(w)), value, timeout)
	}
	return FutexWaitManaged((*uint32)(unsafe.Pointer(w)), value, timeout)
}

// WakeWord wakes up to n threads that wait on w. It never blocks.
func WakeWord(w *atomic.Uint32, n int) { FutexWake((*uint32)(unsafe.Pointer(w)), n) }
