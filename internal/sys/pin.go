package sys

import _ "unsafe" // for linkname

// Pin keeps Go's scheduler from taking the calling thread's goroutine away: ten
// milliseconds after the goroutine came to run, the next call of any function
// that may grow the stack would else let the scheduler in, which hands it to
// another thread and back, at some fifty microseconds. It is for hot loops on
// locked threads that can't do without such calls.
//
// Until Unpin the goroutine must not block in Go's sense (channels, mutexes,
// system calls that aren't raw): the runtime would abort. A stop of the world
// waits for Unpin, so the garbage collector must be off.
func Pin() { procPin() }

// Unpin ends Pin.
func Unpin() { procUnpin() }

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()
