package switchbench

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// A Mechanism is a way to make another thread run.
type Mechanism string

// The mechanisms; the zero Mechanism means Futex.
const (
	Futex      Mechanism = "futex"      // FUTEX_WAKE and FUTEX_WAIT
	PIFutex    Mechanism = "pi-futex"   // FUTEX_UNLOCK_PI of a lock that the other waits for
	Eventfd    Mechanism = "eventfd"    // write and read of eight bytes
	Pipe       Mechanism = "pipe"       // write and read of four bytes
	Socketpair Mechanism = "socketpair" // the same over a Unix stream socket
	Seqpacket  Mechanism = "seqpacket"  // the same over a Unix packet socket
	MQueue     Mechanism = "mqueue"     // a POSIX message queue, eight bytes
	Semaphore  Mechanism = "semaphore"  // a System V semaphore
	Signal     Mechanism = "signal"     // tgkill and sigwait
	IOUring    Mechanism = "io_uring"   // a message from ring to ring
	Yield      Mechanism = "yield"      // sched_yield: nearly the bare switch
	Deadline   Mechanism = "deadline"   // a futex between SCHED_DEADLINE threads
)

// Mechanisms are all of them, in the order in which tables have them.
func Mechanisms() []Mechanism {
	return []Mechanism{
		Futex, PIFutex, Eventfd, Pipe, Socketpair, Seqpacket,
		MQueue, Semaphore, Signal, IOUring, Yield, Deadline,
	}
}

// ParseMechanism takes a mechanism's name.
func ParseMechanism(s string) (Mechanism, error) {
	if m := Mechanism(s); slices.Contains(Mechanisms(), m) {
		return m, nil
	}
	var names []string
	for _, m := range Mechanisms() {
		names = append(names, string(m))
	}
	return "", fmt.Errorf("unknown mechanism %q (%s)", s, strings.Join(names, ", "))
}

// explain gives the refusal of a kernel object the limit that it met.
func explain(m Mechanism, err error) error {
	err = fmt.Errorf("open %s: %w", m, err)
	limits := map[Mechanism]map[unix.Errno]string{
		MQueue: {
			unix.EMFILE: "raise the limit RLIMIT_MSGQUEUE: `ulimit -q unlimited`",
			unix.EINVAL: "raise fs.mqueue.msg_max and fs.mqueue.msgsize_max: `sysctl fs.mqueue.msg_max=10 fs.mqueue.msgsize_max=8192`",
			unix.ENOSPC: "raise fs.mqueue.queues_max: `sysctl fs.mqueue.queues_max=256`",
			unix.ENOSYS: "this kernel has no POSIX message queues (CONFIG_POSIX_MQUEUE)",
		},
		Semaphore: {
			unix.ENOSPC: "raise the second and fourth number of kernel.sem, or remove sets that nobody needs: `ipcs -s`, `ipcrm -s ID`",
			unix.ENOSYS: "this kernel has no System V semaphores (CONFIG_SYSVIPC)",
		},
		IOUring: {
			unix.ENOSYS: "this kernel has no io_uring (CONFIG_IO_URING, Linux 5.1)",
			unix.EPERM:  "io_uring is forbidden here: `sysctl kernel.io_uring_disabled=0`, or a container's seccomp filter",
			unix.EINVAL: "messages from ring to ring need Linux 5.18",
		},
	}
	for errno, hint := range limits[m] {
		if errors.Is(err, errno) {
			return remedy.Unavailable(err, hint)
		}
	}
	return err
}
