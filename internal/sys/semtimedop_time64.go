//go:build 386 || mips || mipsle

package sys

import "golang.org/x/sys/unix"

// semTimedOp is the number of semtimedop(2), here always without a time. These
// machines have one since Linux 5.1; before, all was in ipc(2).
const semTimedOp = unix.SYS_SEMTIMEDOP_TIME64
