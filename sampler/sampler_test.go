package sampler

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/rtsched"
)

func TestMain(m *testing.M) {
	Main(periodic, flood)
	os.Exit(m.Run())
}

type periodicArgs struct {
	Period time.Duration
	// Fault is the number of pages that are touched for the first time in the loop.
	Fault int
	// Samples to take; 0: until stopped.
	Samples int
}

// periodic is the smallest honest loop.
var periodic = Loop{
	Name:    "periodic",
	Columns: []string{"due", "late", "missed"},
	New: func(t *Thread) (Body, error) {
		var args periodicArgs
		if err := t.Args(&args); err != nil {
			return nil, err
		}
		fresh, err := unix.Mmap(-1, 0, (args.Fault+1)*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return nil, err
		}
		return func(first int64) error {
			w, due, err := rtsched.Arm(rtsched.Nanosleep, first, int64(args.Period))
			if err != nil {
				return err
			}
			row := make([]int64, 3)
			for n := 0; !t.Stopped(); n++ {
				now, missed := w.Wait(due)
				row[0], row[1], row[2] = due, now-due, missed
				t.Put(row)
				if n >= 100 && n < 100+args.Fault {
					fresh[(n-100)*4096] = 1
				}
				if n+1 == args.Samples {
					t.End("samples")
				}
				due += (1 + missed) * int64(args.Period)
			}
			return nil
		}, nil
	},
}

// flood fills the ring as fast as it can with rows that check themselves.
var flood = Loop{
	Name:    "flood",
	Columns: []string{"due", "value", "check"},
	New: func(t *Thread) (Body, error) {
		var rows int64
		if err := t.Args(&rows); err != nil {
			return nil, err
		}
		return func(int64) error {
			row := make([]int64, 3)
			for i := range rows {
				row[0], row[1], row[2] = i, i*3, i^i*3
				t.Put(row)
			}
			return nil
		}, nil
	},
}

func startChild(t *testing.T, cfg Config) *Child {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	c, err := Start(ctx, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func fifo(args periodicArgs) Config {
	return Config{
		Loop: "periodic", Columns: 3, Args: args, Period: args.Period,
		Threads: []rtsched.Thread{{Name: "periodic", Priority: 80, CPU: 1}},
	}
}

// collect drains ring 0 until the child ends.
func collect(t *testing.T, c *Child, each func(row []int64)) {
	t.Helper()
	for range time.Tick(20 * time.Millisecond) {
		err := c.Beat()
		c.Rings[0].Rows(each)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestThreadIsWhatWasAskedFor(t *testing.T) {
	c := startChild(t, fifo(periodicArgs{Period: time.Millisecond}))
	got := c.Threads[0]
	if got.Policy != "SCHED_FIFO" || got.Priority != 80 || got.CPU != 1 || got.TID == 0 {
		t.Errorf("ready thread is %+v", got)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
}

func TestSamplesFollowThePeriod(t *testing.T) {
	c := startChild(t, fifo(periodicArgs{Period: time.Millisecond, Samples: 500}))
	first := sys.Nanotime() + 1e6
	c.Go(first, first)
	due, n := first, 0
	collect(t, c, func(row []int64) {
		if row[0] != due {
			t.Fatalf("sample %d is due at %d, want %d", n, row[0]-first, due-first)
		}
		if row[1] < 0 {
			t.Errorf("sample %d is %d ns early", n, -row[1])
		}
		due += (1 + row[2]) * 1e6
		n++
	})
	if n != 500 {
		t.Errorf("%d samples, want 500", n)
	}
	if got := c.Ended().Threads[0].Reason; got != "samples" {
		t.Errorf("reason %q, want samples", got)
	}
}

func TestFaultsInTheLoopAreReported(t *testing.T) {
	for _, tc := range []struct {
		name  string
		pages int
	}{{"none", 0}, {"made on purpose", 7}} {
		t.Run(tc.name, func(t *testing.T) {
			c := startChild(t, fifo(periodicArgs{Period: time.Millisecond, Samples: 300, Fault: tc.pages}))
			first := sys.Nanotime() + 1e6
			c.Go(first, first+50e6)
			collect(t, c, func([]int64) {})
			end := c.Ended().Threads[0]
			if got := end.MinorFaults + end.MajorFaults; got != int64(tc.pages) {
				t.Errorf("%d page faults reported, want %d", got, tc.pages)
			}
		})
	}
}

// TestAThreadMovedOffItsCPUEndsTheRun moves it as the kernel does when a CPU
// goes offline.
func TestAThreadMovedOffItsCPUEndsTheRun(t *testing.T) {
	c := startChild(t, fifo(periodicArgs{Period: time.Millisecond}))
	first := sys.Nanotime() + 1e6
	c.Go(first, first)
	var set unix.CPUSet
	set.Set(0)
	if err := unix.SchedSetaffinity(c.Threads[0].TID, &set); err != nil {
		t.Fatal(err)
	}
	for range time.Tick(20 * time.Millisecond) {
		err := c.Beat()
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), "from cpu 1 to cpu 0") {
			t.Errorf("error %v", err)
		}
		return
	}
}

func closeShared(fd int, s *shared) {
	s.close()
	unix.Close(fd)
}

func TestErrorsOfTheChildComeBack(t *testing.T) {
	for _, tc := range []struct {
		name string
		cfg  Config
	}{
		{"unknown loop", Config{Loop: "none", Columns: 1, Threads: []rtsched.Thread{{Policy: rtsched.Other, CPU: -1}}}},
		{"wrong number of columns", Config{Loop: "periodic", Columns: 2, Args: periodicArgs{}, Threads: []rtsched.Thread{{Policy: rtsched.Other, CPU: -1}}}},
		{"arguments of another type", Config{Loop: "periodic", Columns: 3, Args: "x", Threads: []rtsched.Thread{{Policy: rtsched.Other, CPU: -1}}}},
		{"no such cpu", Config{Loop: "periodic", Columns: 3, Args: periodicArgs{}, Threads: []rtsched.Thread{{Policy: rtsched.Other, CPU: 500}}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := Start(t.Context(), tc.cfg, nil)
			if err == nil {
				c.Close()
				t.Fatal("no error")
			}
			t.Log(err)
		})
	}
}

func TestWatchdogBarksAtAThreadThatNeverSleeps(t *testing.T) {
	for _, polls := range []bool{false, true} {
		runtime.LockOSThread() // other threads' sleeps don't count
		sys.Pin()              // and the Go scheduler's turn would be one
		w := Watchdog{Polls: polls}
		barked := false
		for start := time.Now(); !barked && time.Since(start) < 2*time.Second; {
			barked = w.Barks(1, 0) == ErrNeverSlept
		}
		sys.Unpin()
		runtime.UnlockOSThread()
		if barked == polls {
			t.Errorf("barked %v at a thread that polls on purpose: %v", barked, polls)
		}
	}
}

func TestWatchdogBarksAfterThreeBadSeconds(t *testing.T) {
	for _, tc := range []struct {
		name   string
		missed int64
		want   bool
	}{{"nothing missed", 0, false}, {"half missed", 1, true}} {
		t.Run(tc.name, func(t *testing.T) {
			var w Watchdog
			barked := false
			for due := int64(0); due < 5e9; due += (1 + tc.missed) * 1e6 {
				barked = barked || w.Barks(due, tc.missed) == ErrTooShort
			}
			if barked != tc.want {
				t.Errorf("barked %v, want %v", barked, tc.want)
			}
		})
	}
	t.Run("one long stall", func(t *testing.T) {
		var w Watchdog
		for due := int64(0); due < 10e9; due += 1e6 {
			missed := int64(0)
			if due == 1e9 {
				missed = 5000
			}
			if err := w.Barks(due, missed); err == ErrTooShort {
				t.Fatal("barked at a single stall")
			}
			due += missed * 1e6
		}
	})
}
