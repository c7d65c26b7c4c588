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
		if held.file, err = lock(ctx, waiting); err != nil {
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
		held.file.Close()
		held.file = nil
	}
}

func lock(ctx context.Context, waiting func(string)) (*os.File, error) {
	f, err := openLock()
	if err != nil {
		return nil, fmt.Errorf("lock the machine for measuring: %w", err)
	}
	for told := false; ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			leaveName(f)
			return f, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			f.Close()
			return nil, fmt.Errorf("lock the machine for measuring: %w", err)
		}
		if !told && waiting != nil {
			waiting(holder())
			told = true
		}
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
func openLock() (*os.File, error) {
	f, err := os.OpenFile(LockFile, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrPermission) {
		f, err = os.Open(LockFile)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	f, err = os.OpenFile(LockFile, os.O_RDWR|os.O_CREATE, 0o666)
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

func holder() string {
	b, err := os.ReadFile(LockFile)
	if err != nil || len(b) == 0 {
		return "another process"
	}
	return string(b)
}
