package switchbench

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/sampler/samplertest"
)

func tasks(t *testing.T, pid int) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/task")
	if err != nil {
		t.Fatal(err)
	}
	var tids []int
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		tids = append(tids, tid)
	}
	return tids
}

// awaitStopped returns when every thread of the process has stopped.
func awaitStopped(t *testing.T, pid int) {
	t.Helper()
	running := func(tid int) bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(tid) + "/stat")
		return err != nil || !strings.Contains(string(stat), ") T ")
	}
	for deadline := time.Now().Add(10 * time.Second); slices.ContainsFunc(tasks(t, pid), running); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d does not stop", pid)
		}
	}
}

// TestAStoppedWaiterLosesEveryPulse stops the waiter's process: what was sent
// meanwhile is lost, by every mechanism, and in no other figure.
func TestAStoppedWaiterLosesEveryPulse(t *testing.T) {
	const stop = 100 * time.Millisecond
	for _, m := range []Mechanism{Futex, PIFutex, Pipe, MQueue, Signal} {
		t.Run(string(m), func(t *testing.T) {
			cfg := Config{Mechanism: m, Processes: true, Period: time.Millisecond}
			var src *Source
			var sent int64 // to the stopped waiter
			s := &seconds{f: func(second int) {
				if second == 1 {
					waiter := src.children[1].Pid()
					syscall.Kill(waiter, syscall.SIGSTOP)
					awaitStopped(t, waiter)
					before, _ := src.hub.sent()
					time.Sleep(stop) // the length of the stop, not a wait for an event
					after, _ := src.hub.sent()
					syscall.Kill(waiter, syscall.SIGCONT)
					sent = int64(after - before)
				}
			}}
			end, err := tryMeasure(t, cfg, 2*time.Second, s, func(s *Source) { src = s })
			if err != nil {
				t.Fatal(err)
			}
			checkSums(t, end, cfg.Period)
			total := end.Series[0]
			// But for the last one, which the waiter may find when it goes on.
			if total.Lost < sent-1 || sent < int64(stop/cfg.Period)/2 {
				t.Errorf("%d pulses lost, want the %d that were sent to the stopped waiter", total.Lost, sent)
			}
			// The pulse at which the process was stopped may have been on its way.
			if p99, _ := total.Quantile(0.99); p99 > int64(stop)/2 {
				t.Errorf("the stop is in the latencies: p99 %s", time.Duration(p99))
			}
		})
	}
}

// TestAHogBeforeTheWaiterLosesPulses holds the waiter's CPU, while the waker on
// the other goes on.
func TestAHogBeforeTheWaiterLosesPulses(t *testing.T) {
	const length = 20 * time.Millisecond
	cfg := Config{CPUs: []int{0, 1}, Period: time.Millisecond, Priority: 90}
	var other *sampler.Child
	s := &seconds{f: func(second int) {
		if second == 1 {
			other.Go(sys.Nanotime()+1e6, 0)
		}
	}}
	end, err := tryMeasure(t, cfg, 2*time.Second, s, func(*Source) {
		var err error
		other, err = sampler.Start(t.Context(), sampler.Config{
			Loop: samplertest.Hog.Name, Columns: 1, Args: length, Period: time.Second,
			Threads: []rtsched.Thread{{Name: "hog", Priority: 99, CPU: 1}},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
	})
	if other != nil {
		other.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	checkSums(t, end, cfg.Period)
	if total := end.Series[0]; total.Lost+total.Overruns < int64(length/cfg.Period)-3 || total.Lost == 0 {
		t.Errorf("%d pulses lost and %d not sent behind a hog of %s", total.Lost, total.Overruns, length)
	}
}

func TestAKilledProcessIsAnError(t *testing.T) {
	for i, name := range []string{"waker", "waiter"} {
		t.Run(name, func(t *testing.T) {
			var pid int
			s := &seconds{f: func(int) { syscall.Kill(pid, syscall.SIGKILL) }}
			cfg := Config{Processes: true, Period: time.Millisecond}
			end, err := tryMeasure(t, cfg, 20*time.Second, s, func(s *Source) { pid = s.children[i].Pid() })
			if err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("error %v", err)
			}
			if end == nil || end.Reason != "error" || end.Series[0].Count < 900 {
				t.Errorf("end %+v", end)
			}
		})
	}
}

func TestAProcessStoppedForGoodIsAnError(t *testing.T) {
	var pid int
	s := &seconds{f: func(second int) { syscall.Kill(pid, syscall.SIGSTOP) }}
	cfg := Config{Processes: true, Period: time.Millisecond}
	end, err := tryMeasure(t, cfg, 30*time.Second, s, func(s *Source) { pid = s.children[1].Pid() })
	if err == nil || !strings.Contains(err.Error(), "no switch by futex") {
		t.Fatalf("error %v", err)
	}
	if end == nil || end.Reason != "error" || end.Series[0].Count < 900 {
		t.Errorf("end %+v", end)
	}
}

func TestTooShortAPeriodEndsTheRun(t *testing.T) {
	end, err := tryMeasure(t, Config{Period: 2 * time.Microsecond}, 20*time.Second, &seconds{}, nil)
	if err == nil || !strings.Contains(err.Error(), "too short") || remedy.Of(err) == "" {
		t.Fatalf("error %v", err)
	}
	if end == nil || end.Reason != "error" {
		t.Errorf("end %+v", end)
	}
}

// TestBreakEndsAtTheFirstSampleAbove holds for both ends' processes.
func TestBreakEndsAtTheFirstSampleAbove(t *testing.T) {
	for _, cfg := range []Config{{Processes: true}, {Measure: PingPong}} {
		cfg.Break = time.Nanosecond
		end := measure(t, cfg, 10*time.Second)
		if end.Reason != "break" || end.Seconds > 1 {
			t.Errorf("%s: reason %s after %g s", cfg.Measure, end.Reason, end.Seconds)
		}
		// One, of the measured time: those of the warm-up break nothing.
		if end.Series[0].Count != 1 {
			t.Errorf("%s: %d samples, want the one that was above", cfg.Measure, end.Series[0].Count)
		}
	}
}
