package klatency

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
)

// measureNoise measures one CPU for d.
func measureNoise(t *testing.T, cpu int, d time.Duration) (NoiseFigures, []Taker) {
	t.Helper()
	s := NewNoise(NoiseConfig{CPUs: []int{cpu}, Threshold: DefaultThreshold}, func(w string) { t.Log(w) })
	skipUnavailable(t, s.Open(t.Context()))
	begin := sys.Nanotime() + 10e6
	rec := session.NewRecorder(1, begin, 0, func(results.Record) {})
	if err := s.Start(begin, begin); err != nil {
		t.Fatal(err)
	}
	for sys.Nanotime() < begin+int64(d) {
		time.Sleep(50 * time.Millisecond)
		if err := s.Drain(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := s.Close(); err != nil {
		t.Error(err)
	}
	f := s.Figures()[0]
	t.Logf("%+v", f)
	return f, s.Takers()
}

// hogging is a child's loop that takes 200 us every 10 ms.
var hogging = sampler.Loop{
	Name:    "hogging",
	Columns: []string{"due"},
	New: func(t *sampler.Thread) (sampler.Body, error) {
		return func(first int64) error {
			for due := first; !t.Stopped(); due += 10e6 {
				sys.SleepUntil(due)
				for until := sys.Nanotime() + 200e3; sys.Nanotime() < until; {
				}
			}
			return nil
		}, nil
	},
}

// hogEvery10ms starts such a child on cpu until the test ends.
func hogEvery10ms(t *testing.T, cpu int) *sampler.Child {
	t.Helper()
	child, err := sampler.Start(t.Context(), sampler.Config{
		Loop: hogging.Name, Columns: len(hogging.Columns), Period: 10 * time.Millisecond,
		Threads: []rtsched.Thread{{Name: "culprit", CPU: cpu, Priority: 10}},
	}, func(holder string) { t.Log("waiting for", holder) })
	if err != nil {
		t.Fatal(err)
	}
	child.Go(sys.Nanotime(), sys.Nanotime())
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for child.Beat() == nil {
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		close(stop)
		<-stopped
		child.Close()
	})
	return child
}

// ran is how long a thread of a process has had a CPU, by the scheduler's own
// account (Documentation/scheduler/sched-stats.rst), in ns.
func ran(t *testing.T, pid, tid int) (ns int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/schedstat", pid, tid))
	if err == nil {
		_, err = fmt.Sscan(string(text), &ns)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ns
}

// A hog of 200 us every 10 ms is reported as what the scheduler gave it, give
// or take a tenth: 2 %, and its switches, which on a busy machine are not free.
// The noise of all is that or more.
func TestNoiseOfAHog(t *testing.T) {
	cpu := lastCPU(t)
	child := hogEvery10ms(t, cpu)
	tid := child.Threads[0].TID
	before := ran(t, child.Pid(), tid)
	f, takers := measureNoise(t, cpu, 2*time.Second)
	made := ran(t, child.Pid(), tid) - before
	share := func(ns int64) float64 { return 100 * float64(ns) / float64(f.Runtime) }
	i := slices.IndexFunc(takers, func(k Taker) bool { return k.PID == tid })
	if i < 0 {
		t.Fatalf("the hog %d is not among %v", tid, takers)
	}
	hog := takers[i]
	t.Logf("noise is %.3f %%, threads took %.3f %%, the hog %.3f %% in %d times", share(f.Total), share(f.Thread.NS), share(hog.NS), hog.Count)
	if n := f.Runtime / 10e6; hog.Count < n-2 || f.Thread.Count < n-2 {
		t.Errorf("threads ran %d times, the hog %d times in %d periods", f.Thread.Count, hog.Count, n)
	}
	// It ran before and after the programs did, too.
	if hog.Name != "culprit" || hog.NS < made*8/10 || hog.NS > made*11/10 {
		t.Errorf("the hog took %d ns as %q, the scheduler says %d", hog.NS, hog.Name, made)
	}
	if share(f.Thread.NS) < 1.8 || share(f.Total) < 1.8 {
		t.Errorf("noise is %.3f %%, threads took %.3f %%, the hog alone 2", share(f.Total), share(f.Thread.NS))
	}
	if f.MaxGap < 200e3 || f.IRQ.Count == 0 || f.Hardware.NS > f.Total {
		t.Errorf("longest gap %d ns, %d interrupts, hardware %d of %d ns", f.MaxGap, f.IRQ.Count, f.Hardware.NS, f.Total)
	}
}
