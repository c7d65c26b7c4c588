package sys

import _ "unsafe" // for linkname

// Nanotime is CLOCK_MONOTONIC in ns, read through the vDSO. It is the clock
// that clock_nanosleep, timerfd, eBPF's bpf_ktime_get_ns and the tracers share.
//
//go:linkname Nanotime runtime.nanotime
//go:nosplit
func Nanotime() int64
