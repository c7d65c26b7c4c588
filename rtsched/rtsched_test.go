package rtsched

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
)

func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case "hold-lock":
		release, err := LockMachine(context.Background(), nil)
		if err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		os.Stdin.Read(make([]byte, 1))
		release()
	case "hold-often":
		for range 20 {
			f, err := lock(context.Background(), os.Args[2], nil)
			if err != nil {
				os.Exit(1)
			}
			os.Stdout.WriteString("held\n")
			time.Sleep(100 * time.Millisecond)
			f.Close()
		}
	default:
		os.Exit(m.Run())
	}
}

// onThread runs f on an OS thread of its own that ends with it.
func onThread(t *testing.T, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- f()
	}()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestApply(t *testing.T) {
	release, err := LockMachine(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, tc := range []struct {
		thread Thread
		policy uint32
	}{
		{Thread{Name: "fifo", Priority: 7, CPU: 1}, unix.SCHED_FIFO},
		{Thread{Name: "rr", Policy: RR, Priority: 8, CPU: 0}, unix.SCHED_RR},
		{Thread{Name: "other", Policy: Other, CPU: -1}, unix.SCHED_NORMAL},
		{Thread{Name: "deadline", Policy: Deadline, CPU: -1, Period: 100 * time.Millisecond, Runtime: time.Millisecond}, unix.SCHED_DEADLINE},
	} {
		t.Run(tc.thread.Name, func(t *testing.T) {
			onThread(t, func() error {
				if err := tc.thread.Apply(); err != nil {
					return err
				}
				got, err := unix.SchedGetAttr(0, 0)
				if err != nil {
					return err
				}
				if got.Policy != tc.policy || got.Priority != uint32(tc.thread.Priority) || got.Flags&unix.SCHED_FLAG_RESET_ON_FORK == 0 {
					t.Errorf("the kernel has %+v", got)
				}
				return nil
			})
		})
	}
}

func TestRefusalsHaveARemedy(t *testing.T) {
	err := Thread{Priority: 50}.explain(unix.EPERM)
	if !errors.Is(err, remedy.ErrUnavailable) || remedy.Of(err) == "" || !errors.Is(err, unix.EPERM) {
		t.Errorf("EPERM became %v with remedy %q", err, remedy.Of(err))
	}
	if err := (Thread{Priority: 50}).explain(unix.EINVAL); errors.Is(err, remedy.ErrUnavailable) {
		t.Errorf("EINVAL became unavailable: %v", err)
	}
}

// TestAPastStartKeepsTheGrid arms timers whose first date has gone by: samples
// must lie on first + k*period, none shifted by whole periods and none early.
func TestAPastStartKeepsTheGrid(t *testing.T) {
	const period = int64(10 * time.Millisecond)
	for _, timer := range timers {
		t.Run(string(timer), func(t *testing.T) {
			onThread(t, func() error {
				if err := (Thread{Policy: Other, CPU: -1}).Apply(); err != nil {
					return err
				}
				first := sys.Nanotime() - 7*period - period/3
				w, due, err := Arm(timer, first, period)
				if err != nil {
					return err
				}
				defer w.Close()
				for range 5 {
					now, missed := w.Wait(due)
					if (due-first)%period != 0 {
						t.Errorf("due %d ns off the grid", (due-first)%period)
					}
					if late := now - due; late < 0 || missed != late/period && missed != late/period+1 && missed != late/period-1 {
						t.Errorf("%d ns late with %d periods missed", late, missed)
					}
					due += (1 + missed) * period
				}
				return nil
			})
		})
	}
}

// startHolder starts a process that holds a lock as args say, and returns when it
// does. It ends when its input is closed, or by itself.
func startHolder(t *testing.T, args ...string) (in io.Closer, out io.Reader) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err = cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	if _, err := out.Read(make([]byte, len("held\n"))); err != nil {
		t.Fatal(err)
	}
	return in, out
}

func TestLockGoesToWhoWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	_, out := startHolder(t, "hold-often", path)
	var turns atomic.Int64
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			turns.Add(1)
		}
	}()
	f, err := lock(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if n := turns.Load(); n >= 10 {
		t.Errorf("the lock came after %d of the other's 20 turns", n)
	}
}

func TestLockIsOneForTheMachine(t *testing.T) {
	in, _ := startHolder(t, "hold-lock")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	told := ""
	if _, err := LockMachine(ctx, func(holder string) { told = holder }); err == nil || told == "" {
		t.Errorf("locked twice: error %v, told of %q", err, told)
	}
	in.Close()
	release, err := LockMachine(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := LockMachine(t.Context(), nil)
	if err != nil {
		t.Fatalf("a second time in one process: %v", err)
	}
	again()
	release()
}

func TestParse(t *testing.T) {
	for _, name := range []string{"fifo", "SCHED_FIFO", "rr", "deadline", "other"} {
		if _, err := ParsePolicy(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := ParsePolicy("idle"); err == nil {
		t.Error("policy idle was taken")
	}
	if _, err := ParseTimer("sundial"); err == nil {
		t.Error("timer sundial was taken")
	}
}
