// Command bench holds the transports against what they are to reach, each
// comparison within one run, rounds interleaved, by medians:
//
//	bench size     shm, futex: 10 MB against 16 bytes, untouched; and touched,
//	               filling against a memset, reading against a compare
//	bench notify   shm at 1 kHz, SCHED_OTHER: futex against a sleep-poll of 50 us
//	bench spin     an empty transport and shm, spinning, against two C processes
//	               and a ring
//	bench rate     messages a second, the same
//	bench idle     CPU time of a subscriber that gets nothing for long
//	bench sockperf half a round trip over tcp and udp against Debian's sockperf
//	bench iceoryx  shm, futex, 1 kHz, against iceoryx's C binding and a wait set
//
// It needs a quiet machine, and a C compiler for spin and rate.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
	"worstcase/transport"
)

// rounds is how often each side of a comparison is measured, in turn.
const rounds = 5

func main() {
	sampler.Main(transport.Loops(transports())...)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 3 && args[0] == "subscriber" {
		return subscriberMain(args[1], args[2])
	}
	benches := map[string]func() error{
		"size": benchSize, "notify": benchNotify, "spin": benchSpin, "rate": benchRate, "idle": benchIdle, "sockperf": benchSockperf,
		"iceoryx": benchIceoryx,
	}
	// The ends hold it too: whatever they are compared with shall find the CPUs as
	// awake as they do.
	if idle, err := rtsched.HoldDMALatency(0); err == nil {
		defer idle.Close()
	} else {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	for _, name := range args {
		b, ok := benches[name]
		if !ok {
			return fmt.Errorf("no bench %q", name)
		}
		fmt.Println(name)
		if err := b(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// transports are those that the ends know.
func transports() []transport.Transport { return append(transport.Kernel(), empty{}) }

// find returns a transport of this package's list.
func find(name string) transport.Transport {
	t, _ := transport.Find(transports(), name)
	return t
}

// measure makes one run and returns its totals by what they measured.
func measure(c transport.Config, duration time.Duration) (map[string]results.Total, results.Figures, error) {
	c.Duration = duration
	c.CPUs = []int{0, 1}
	c, err := c.WithDefaults()
	if err != nil {
		return nil, nil, err
	}
	c.Unlocked = c.Policy == rtsched.Other
	end, err := session.Run(context.Background(), session.Config{
		Header:   results.Header{Tool: "transport", Config: c.Record()},
		Duration: duration, WarmUp: 200 * time.Millisecond, Period: c.SlotPeriod(),
	}, transport.NewSource(c, func(string) {}))
	if err != nil {
		return nil, nil, err
	}
	totals := map[string]results.Total{}
	for _, s := range end.Series {
		totals[s.Labels["what"]] = s
	}
	return totals, end.After, nil
}

// p50 is the median of one series in ns.
func p50(totals map[string]results.Total, what string) float64 {
	t := totals[what]
	ns, _ := t.Quantile(0.5)
	return float64(ns)
}

// A side collects one side's figures over the rounds.
type side struct {
	name   string
	unit   string
	values []float64
}

func (s *side) add(v float64) { s.values = append(s.values, v) }

func (s *side) median() float64 {
	v := slices.Sorted(slices.Values(s.values))
	return v[len(v)/2]
}

// over is the median of how much more s has than o in the same round.
func (s *side) over(o *side) float64 {
	var more side
	for i, v := range s.values {
		more.add(v - o.values[i])
	}
	return more.median()
}

func (s *side) print() {
	fmt.Printf("  %-34s %12.1f %s  (%.1f to %.1f)\n", s.name, s.median(), s.unit, slices.Min(s.values), slices.Max(s.values))
}

// ratio prints two sides and their ratio against its goal.
func ratio(a, b *side, goal string) {
	a.print()
	b.print()
	fmt.Printf("  ratio %.3f, to be %s\n", a.median()/b.median(), goal)
}
