package sys

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Call is one system call of a loop process. Pointers among Args must lead to
// memory that stays in place: from unix.Mmap, or kept alive by the caller until
// ForkLoop has returned.
type Call struct {
	Number uintptr
	Args   [6]uintptr
	// Counts adds one to the process's counter whenever the call succeeds.
	Counts bool
}

// ForkLoop makes a child process, without exec, that does calls in their order
// over and over. The child has one thread and never enters the Go runtime: so
// thousands of messages a second cost what they would cost in C, and forty such
// processes take no more memory than their stacks. It dies with the calling
// thread, which must therefore be locked to its goroutine for good, and ends
// at the first error other than EINTR and EAGAIN.
func ForkLoop(calls []Call, counter *uint32) (int, error) {
	return forkBlocked(func(parent uintptr) (uintptr, unix.Errno) {
		pid, errno := forkLoop(parent, calls, counter)
		runtime.KeepAlive(calls)
		return pid, errno
	})
}

// forkBlocked calls fork with every signal blocked, so that no handler of the
// runtime ever runs in the child.
func forkBlocked(fork func(parent uintptr) (uintptr, unix.Errno)) (int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, old unix.Sigset_t
	for i := range all.Val {
		all.Val[i] = ^all.Val[i]
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &old); err != nil {
		return 0, err
	}
	pid, errno := fork(uintptr(unix.Getpid()))
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil); err != nil {
		return 0, err
	}
	if errno != 0 {
		return 0, errno
	}
	return int(pid), nil
}

// forkLoop must not grow its stack: the child would then enter the scheduler.
//
//go:nosplit
//go:noinline
//go:norace
func forkLoop(parent uintptr, calls []Call, counter *uint32) (uintptr, unix.Errno) {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if pid != 0 || errno != 0 {
		return pid, errno
	}
	unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0, 0)
	if now, _, _ := unix.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); now != parent {
		exitNow(1)
	}
	for {
		for i := range calls {
			c := &calls[i]
			_, _, errno := unix.RawSyscall6(c.Number, c.Args[0], c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Args[5])
			switch {
			case errno == 0:
				if c.Counts {
					atomic.AddUint32(counter, 1)
				}
			case errno != unix.EINTR && errno != unix.EAGAIN:
				exitNow(1)
			}
		}
	}
}

// ForkExit makes a copy of the process that ends at once, and waits for it.
func ForkExit() error {
	pid, errno := forkExit()
	if errno != 0 {
		return errno
	}
	return reap(pid)
}

//go:nosplit
//go:noinline
//go:norace
func forkExit() (uintptr, unix.Errno) {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		exitNow(0)
	}
	return pid, errno
}

// A Program is an executable with its arguments, ready for ForkExec.
type Program struct {
	path      *byte
	argv, env []*byte
}

// NewProgram prepares path with its arguments, the first being its name, and
// an empty environment.
func NewProgram(path string, args ...string) (*Program, error) {
	p := &Program{env: []*byte{nil}}
	var err error
	if p.path, err = unix.BytePtrFromString(path); err != nil {
		return nil, err
	}
	for _, a := range args {
		b, err := unix.BytePtrFromString(a)
		if err != nil {
			return nil, err
		}
		p.argv = append(p.argv, b)
	}
	p.argv = append(p.argv, nil)
	return p, nil
}

// ForkExec runs p in a copy of the process and waits until it has ended.
func (p *Program) ForkExec() error {
	pid, errno := forkExec(p.path, &p.argv[0], &p.env[0])
	runtime.KeepAlive(p)
	if errno != 0 {
		return errno
	}
	return reap(pid)
}

//go:nosplit
//go:noinline
//go:norace
func forkExec(path *byte, argv, env **byte) (uintptr, unix.Errno) {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(argv)), uintptr(unsafe.Pointer(env)))
		exitNow(127)
	}
	return pid, errno
}

// reap waits for a child and tells of any end but exit status 0.
func reap(pid uintptr) error {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(int(pid), &status, 0, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case status.ExitStatus() != 0:
			return unix.ECHILD
		default:
			return nil
		}
	}
}

//go:nosplit
//go:norace
func exitNow(status uintptr) {
	for {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, status, 0, 0)
	}
}

// Address returns where b lies, for a Call's Args. b must stay in place: see Call.
func Address(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// WaitCall waits for a signal of set, which must stay alive, in a loop process.
func WaitCall(set *unix.Sigset_t) Call {
	return Call{
		Number: unix.SYS_RT_SIGTIMEDWAIT,
		Args:   [6]uintptr{uintptr(unsafe.Pointer(set)), 0, 0, sigsetSize},
	}
}
