package sys_test

import (
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

func sharedWord(t *testing.T) *uint32 {
	t.Helper()
	b, err := unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return (*uint32)(unsafe.Pointer(&b[0]))
}

// TestForkLoopCounts runs the loop far enough to pass any stack check, while
// this process collects garbage and preempts its goroutines.
func TestForkLoopCounts(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	counter := sharedWord(t)
	pid, err := sys.ForkLoop([]sys.Call{{Number: unix.SYS_GETPPID, Counts: true}}, counter)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); atomic.LoadUint32(counter) < 100000; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatalf("counted %d in ten seconds", atomic.LoadUint32(counter))
		}
	}
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil || status.Signal() != unix.SIGKILL {
		t.Fatalf("child ended with %v, %v: want it alive until it was killed", status, err)
	}
}

func TestForkLoopEndsAtError(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, err := sys.ForkLoop([]sys.Call{{Number: unix.SYS_CLOSE, Args: [6]uintptr{^uintptr(0)}, Counts: true}}, sharedWord(t))
	if err != nil {
		t.Fatal(err)
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, 0, nil); err != nil || status.ExitStatus() != 1 {
		t.Fatalf("child ended with %v, %v; want exit status 1", status, err)
	}
}

func TestForkExec(t *testing.T) {
	for name, tt := range map[string]struct {
		path string
		ok   bool
	}{
		"runs":       {"/bin/true", true},
		"no program": {"/nonexistent", false},
		"fails":      {"/bin/false", false},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := sys.NewProgram(tt.path, "x")
			if err != nil {
				t.Fatal(err)
			}
			if err := p.ForkExec(); (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			} else if err != nil && !errors.Is(err, unix.ECHILD) {
				t.Errorf("got %v, want %v", err, unix.ECHILD)
			}
		})
	}
}

func BenchmarkForkExit(b *testing.B) {
	for b.Loop() {
		if err := sys.ForkExit(); err != nil {
			b.Fatal(err)
		}
	}
}
