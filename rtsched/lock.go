package rtsched

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// LockFile is the machine-wide lock of all that makes real-time threads.
const LockFile = "/tmp/worstcase.lock"

// The lock belongs to the process, however many parts of it hold it.
var held struct {
	sync.Mutex
	file  *os.File
	count int
}

// LockMachine waits until no other process measures on this machine, and keeps
// others waiting until release is called. Two measurements would disturb each
// other, and their verdicts. Within one process it may be held several times.
// waiting, when not nil, is called once with the holder's command line if
// there is one to wait for.
func LockMachine(ctx context.Context, waiting func(holder string)) (release func(), err error) {
	held.Lock()
	defer held.Unlock()
	if held.count == 0 {
		if held.file, err = lock(ctx, LockFile, waiting); err != nil {
			return nil, err
		}
	}
	held.count++
	return sync.OnceFunc(unlock), nil
}

func unlock() {
	held.Lock()
	defer held.Unlock()
	held.count--
	if held.count == 0 {
		held.file.Truncate(0) // our name: else somebody waits for it in vain
		held.file.Close()
		held.file = nil
	}
}

// lock locks the file at path. Who waits for it holds path.next: so a process
// that locks again and again lets others in between.
func lock(ctx context.Context, path string, waiting func(string)) (*os.File, error) {
	told := sync.OnceFunc(func() {
		if waiting != nil {
			waiting(holder(path))
		}
	})
	next, err := acquire(ctx, path+".next", told)
	if err != nil {
		return nil, err
	}
	defer next.Close()
	f, err := acquire(ctx, path, told)
	if err == nil {
		leaveName(f)
	}
	return f, err
}

// acquire locks a file, and calls waiting when it can't do so at once.
func acquire(ctx context.Context, path string, waiting func()) (*os.File, error) {
	f, err := openLock(path)
	if err != nil {
		return nil, fmt.Errorf("lock the machine for measuring: %w", err)
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock the machine for measuring: %w", err)
		}
		waiting()
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("wait for the other measurement to end: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// openLock opens the lock file, which any user may have made: fs.protected_regular
// lets nobody open another's file in /tmp with O_CREAT.
func openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = os.Open(path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err == nil {
		f.Chmod(0o666)
	}
	return f, err
}

func leaveName(f *os.File) {
	f.Truncate(0)
	command := strings.Join(os.Args, " ")
	fmt.Fprintf(f, "pid %d: %.60s", os.Getpid(), command)
}

func holder(path string) string {
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return "another process"
	}
	return string(b)
}
