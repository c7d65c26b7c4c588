package switchbench

import (
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/rtsched"
)

// TestEveryMechanism measures each between threads and between processes, and
// accounts for every period.
func TestEveryMechanism(t *testing.T) {
	for _, m := range Mechanisms() {
		for _, processes := range []bool{false, true} {
			cfg := Config{Mechanism: m, Processes: processes, Period: time.Millisecond, Samples: 100}
			t.Run(string(m)+" "+cfg.Space(), func(t *testing.T) {
				end := measure(t, cfg, 0)
				s := end.Series[0]
				if end.Reason != "complete" || s.Count != cfg.Samples {
					t.Errorf("ended by %s after %d samples, want complete after %d", end.Reason, s.Count, cfg.Samples)
				}
				if s.Labels["mechanism"] != string(m) || s.Labels["space"] != cfg.Space() {
					t.Errorf("labels %v", s.Labels)
				}
				if m != Yield {
					checkSums(t, end, cfg.Period)
				}
				if faults := end.After["sampler.faults.major"] + end.After["sampler.faults.minor"]; faults != 0 {
					t.Errorf("%g page faults", faults)
				}
			})
		}
	}
}

func TestCases(t *testing.T) {
	for _, c := range []Case{Below, Above, Equal} {
		t.Run(string(c), func(t *testing.T) {
			cfg := Config{Case: c, Period: time.Millisecond}
			checkSums(t, measure(t, cfg, time.Second), cfg.Period)
		})
	}
	t.Run("two CPUs", func(t *testing.T) {
		cfg := Config{CPUs: []int{0, 1}, Period: time.Millisecond}
		checkSums(t, measure(t, cfg, time.Second), cfg.Period)
	})
	t.Run("not real-time", func(t *testing.T) {
		cfg := Config{Policy: rtsched.Other, Period: time.Millisecond}
		checkSums(t, measure(t, cfg, time.Second), cfg.Period)
	})
}

// TestRings passes a token round rings, which end whole when they are stopped.
func TestRings(t *testing.T) {
	for _, test := range []struct {
		name string
		cfg  Config
	}{
		{"ping-pong", Config{Measure: PingPong}},
		{"alone", Config{Measure: Ring, Mechanism: Pipe, Threads: 1}},
		{"five processes", Config{Measure: Ring, Mechanism: PIFutex, Threads: 5, Processes: true}},
		{"working set", Config{Measure: Ring, Mechanism: Eventfd, Threads: 8, WorkingSet: 64 << 10}},
		{"two CPUs", Config{Measure: Ring, Mechanism: Signal, Threads: 4, CPUs: []int{0, 1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.cfg.Priority, test.cfg.Samples = 50, 2000
			end := measure(t, test.cfg, 0)
			s := end.Series[0]
			if s.Samples() < 2000 || s.Lost != 0 || s.Min <= 0 || s.Min > s.Max {
				t.Errorf("%d samples, %d lost, %d to %d ns", s.Samples(), s.Lost, s.Min, s.Max)
			}
		})
	}
}

// TestOnlyTheSamplingThreadsAreRealTime reads the policy of all threads of the
// children from the kernel.
func TestOnlyTheSamplingThreadsAreRealTime(t *testing.T) {
	for _, processes := range []bool{false, true} {
		cfg := Config{Processes: processes, Period: time.Millisecond, Samples: 100}
		t.Run(cfg.Space(), func(t *testing.T) {
			var priorities []uint32
			_, err := tryMeasure(t, cfg, 0, &seconds{}, func(s *Source) {
				for _, c := range s.children {
					for _, tid := range tasks(t, c.Pid()) {
						a, err := unix.SchedGetAttr(tid, 0)
						if err != nil {
							t.Fatal(err)
						}
						if a.Policy == unix.SCHED_FIFO {
							priorities = append(priorities, a.Priority)
						}
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(priorities)
			if !slices.Equal(priorities, []uint32{98, 99}) {
				t.Errorf("real-time threads of priorities %v, want 98 and 99 alone", priorities)
			}
		})
	}
}

func TestConfig(t *testing.T) {
	for _, test := range []struct {
		name string
		cfg  Config
	}{
		{"mechanism", Config{Mechanism: "smoke"}},
		{"period", Config{Period: 2 * time.Second}},
		{"priority too low for a waiter below", Config{Priority: 1}},
		{"deadline without a timer", Config{Mechanism: Deadline, Measure: PingPong}},
		{"policy deadline", Config{Policy: rtsched.Deadline}},
		{"threads", Config{Measure: Ring, Threads: MaxThreads + 1}},
		{"alone with a lock", Config{Measure: Ring, Mechanism: PIFutex, Threads: 1}},
		{"working set", Config{Measure: Ring, WorkingSet: -1}},
		{"yield over CPUs", Config{Mechanism: Yield, CPUs: []int{0, 1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := test.cfg.WithDefaults(); err == nil {
				t.Error("no error")
			}
		})
	}
}
