// Package sys holds every raw system call, unsafe pointer and linkname of
// worstcase, one file for each kernel interface. Functions marked nosplit may
// be called from a hot loop: they allocate nothing, never grow the stack, and
// keep their P while they sleep (see the comment in nanosleep.go).
package sys
