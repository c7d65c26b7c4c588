//go:build mips || mipsle || mips64 || mips64le

package sys

// sigsetSize is the kernel's sizeof(sigset_t) in bytes: MIPS has 128 signals.
const sigsetSize = 16
