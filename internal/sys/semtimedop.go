//go:build !386 && !mips && !mipsle

package sys

import "golang.org/x/sys/unix"

// semTimedOp is the number of semtimedop(2), here always without a time.
const semTimedOp = unix.SYS_SEMTIMEDOP
