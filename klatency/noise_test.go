package klatency

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
)

// A noiseMeter is one of the two instruments.
type noiseMeter interface {
	session.Source
	Figures() []NoiseFigures
	Takers() []Taker
}

// measureNoise measures one CPU for d, and tells from when on. Mark is called
// when the figures begin and when they end.
func measureNoise(t *testing.T, s noiseMeter, d time.Duration, mark func()) (f NoiseFigures, takers []Taker, begin int64) {
	t.Helper()
	skipUnavailable(t, s.Open(t.Context()))
	begin = sys.Nanotime() + 10e6
	rec := session.NewRecorder(1, begin, 0, func(results.Record) {})
	if err := s.Start(begin, begin); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Millisecond)
	for begun := false; sys.Nanotime() < begin+int64(d); time.Sleep(50 * time.Millisecond) {
		if err := s.Drain(rec); err != nil {
			t.Fatal(err)
		}
		if !begun {
			mark()
			begun = true
		}
	}
	if err := errors.Join(s.Stop(), s.Drain(rec)); err != nil {
		t.Error(err)
	}
	mark()
	if n, ok := s.(*Noise); ok {
		begin = n.begin // where its counters began
	}
	if _, err := s.Close(); err != nil {
		t.Error(err)
	}
	f = s.Figures()[0]
	t.Logf("%+v", f)
	return f, s.Takers(), begin
}

// hogging is a child's loop that takes 200 us every 10 ms, and says itself from
// when to when.
var hogging = sampler.Loop{
	Name:    "hogging",
	Columns: []string{"due", "from", "to"},
	New: func(t *sampler.Thread) (sampler.Body, error) {
		return func(first int64) error {
			var row [3]int64
			for due := first; !t.Stopped(); due += 10e6 {
				sys.SleepUntil(due)
				from := sys.Nanotime()
				to := from
				for to < from+200e3 {
					to = sys.Nanotime()
				}
				row[0], row[1], row[2] = due, from, to
				t.Put(row[:])
			}
			return nil
		}, nil
	},
}

// A stretch is what a hog says itself of a stretch of time, in ns.
type stretch struct {
	// took is how long it had the CPU, wanted the same from when it should have had
	// it: the switch to it is in that, and what a hypervisor took from it.
	took, wanted int64
	times        int64 // that it had slept before
}

// hogEvery10ms starts such a child on cpu. Stop ends it.
func hogEvery10ms(t *testing.T, cpu int) (child *sampler.Child, stop func(from, to int64) stretch) {
	t.Helper()
	child, err := sampler.Start(t.Context(), sampler.Config{
		Loop: hogging.Name, Columns: len(hogging.Columns), Period: 10 * time.Millisecond,
		Threads: []rtsched.Thread{{Name: "culprit", CPU: cpu, Priority: 10}},
	}, func(holder string) { t.Log("waiting for", holder) })
	if err != nil {
		t.Fatal(err)
	}
	child.Go(sys.Nanotime(), sys.Nanotime())
	end, ended := make(chan bool), make(chan bool)
	var taken [][3]int64
	go func() {
		defer close(ended)
		for going := true; going; {
			select {
			case <-end:
				going = false
			case <-time.After(100 * time.Millisecond):
			}
			if child.Beat() != nil {
				return
			}
			child.Rings[0].Rows(func(row []int64) { taken = append(taken, [3]int64(row)) })
		}
	}()
	finish := sync.OnceFunc(func() {
		close(end)
		<-ended
		child.Close()
	})
	t.Cleanup(finish)
	return child, func(from, to int64) (s stretch) {
		finish()
		last := int64(0)
		for _, k := range taken {
			due, begin, end := k[0], k[1], k[2]
			s.took += max(0, min(end, to)-max(begin, from))
			s.wanted += max(0, min(end, to)-max(due, last, from))
			if due > last && begin >= from && end <= to {
				s.times++
			}
			last = end
		}
		return s
	}
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

// A hog of 200 us every 10 ms is reported as 2 % of the CPU, give or take a
// tenth; what it really took it says itself.
func TestNoiseOfAHog(t *testing.T) {
	cpu := lastCPU(t)
	cfg, warn := NoiseConfig{CPUs: []int{cpu}, Threshold: DefaultThreshold}, func(w string) { t.Log(w) }
	for _, test := range []struct {
		name  string
		meter noiseMeter
	}{
		{"eBPF", NewNoise(cfg, warn)},
		{"osnoise", NewOsnoise(cfg, warn)},
	} {
		t.Run(test.name, func(t *testing.T) { hogged(t, test.meter, cpu) })
	}
}

func hogged(t *testing.T, meter noiseMeter, cpu int) {
	child, stop := hogEvery10ms(t, cpu)
	tid := child.Threads[0].TID
	var account []int64
	f, takers, begin := measureNoise(t, meter, 2*time.Second, func() { account = append(account, ran(t, child.Pid(), tid)) })
	share := func(ns int64) float64 { return 100 * float64(ns) / float64(f.Runtime) }
	own := stop(begin, begin+f.Runtime)
	made, most := share(own.took), share(max(own.wanted, account[1]-account[0]))
	i := slices.IndexFunc(takers, func(k Taker) bool { return k.PID == tid })
	if i < 0 {
		t.Fatalf("the hog %d is not among %v", tid, takers)
	}
	hog := takers[i]
	t.Logf("noise %.3f %%, threads %.3f %%, the hog %.3f %% in %d times, by its own account %.3f to %.3f %%, by the scheduler's %.3f %%",
		share(f.Total), share(f.Thread.NS), share(hog.NS), hog.Count, made, share(own.wanted), share(account[1]-account[0]))
	// Threads that run one after the other are one interference: between two runs of
	// the hog in it is one of another.
	others := -hog.Count
	for _, k := range takers {
		others += k.Count
	}
	if hog.Count < own.times-2 || f.Thread.Count < hog.Count-others-2 || own.times < 10 {
		t.Errorf("threads ran %d times, the hog %d times, by its own account %d, others %d times", f.Thread.Count, hog.Count, own.times, others)
	}
	// Nor does the idle thread count, which runs once the polling one has ended.
	if f.Thread.Count > hog.Count+others+1 || slices.ContainsFunc(takers, func(k Taker) bool { return k.PID == 0 }) {
		t.Errorf("threads ran %d times, each of them %v", f.Thread.Count, takers)
	}
	// Its switches, and what a hypervisor takes in them, are the hog's as well.
	if share(hog.NS) < made*0.9 || share(hog.NS) > most*1.1 || hog.Name != "culprit" {
		t.Errorf("the hog took %.3f %% as %q, by its own account %.3f %%, at most %.3f %%", share(hog.NS), hog.Name, made, most)
	}
	// What interrupts it is noise of its own.
	if share(f.Thread.NS) < share(hog.NS) || share(f.Total) < made {
		t.Errorf("noise is %.3f %%, threads took %.3f %%, the hog alone %.3f", share(f.Total), share(f.Thread.NS), share(hog.NS))
	}
	if f.MaxGap < 200e3 || f.IRQ.Count == 0 || f.Hardware.NS > f.Total {
		t.Errorf("longest gap %d ns, %d interrupts, hardware %d of %d ns", f.MaxGap, f.IRQ.Count, f.Hardware.NS, f.Total)
	}
}
