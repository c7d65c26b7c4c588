// Command bench holds the transports against what they are to reach, each
// comparison within one run, rounds interleaved, by medians and their 95 %
// intervals:
//
//	bench size     shm, futex: 10 MB against 16 bytes, untouched
//	bench touch    shm, futex, 10 MB: filling against a memset, reading against
//	               a compare, of memory of the same process
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

	"worstcase/bench/pairs"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
	"worstcase/transport"
)

// rounds is how often each side of a comparison is measured, in turn: where the
// hypervisor puts two CPUs, and what it leaves of them, changes from one second to
// the next, so they are many and short.
const rounds = 15

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
		"size": benchSize, "touch": benchTouch, "notify": benchNotify, "spin": benchSpin, "rate": benchRate, "idle": benchIdle, "sockperf": benchSockperf,
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
func transports() []transport.Transport {
	return append(transport.Kernel(), empty{}, beside{transport.Kernel()[0], true}, beside{transport.Kernel()[0], false})
}

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
	run := c.Session()
	run.WarmUp = 200 * time.Millisecond
	end, err := session.Run(context.Background(), run, transport.NewSource(c, func(string) {}))
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

func (s *side) print() {
	fmt.Printf("  %-34s %12.1f %s  (%.1f to %.1f)\n", s.name, pairs.Median(s.values), s.unit, slices.Min(s.values), slices.Max(s.values))
}

// ratio prints two sides and the median of their rounds' ratios, with its 95 %
// interval, against the goal.
func ratio(a, b *side, g goal) {
	a.print()
	b.print()
	g.print("ratio", "", pairs.Ratios(a.values, b.values))
}

// A goal is a bound on a median. It is reached or missed when the whole interval
// is on one side of it.
type goal struct {
	bound float64
	least bool // a lower bound
}

func atMost(bound float64) goal  { return goal{bound: bound} }
func atLeast(bound float64) goal { return goal{bound, true} }

func (g goal) print(what, unit string, values []float64) {
	low, high := pairs.Interval(values)
	side, verdict := "at most", "undecided"
	if g.least {
		side = "at least"
	}
	switch {
	case low > g.bound && !g.least, high < g.bound && g.least:
		verdict = "missed"
	case high <= g.bound && !g.least, low >= g.bound && g.least:
		verdict = "reached"
	}
	fmt.Printf("  %s %.3f%s (%.3f to %.3f; %d rounds), to be %s %g: %s\n", what, pairs.Median(values), unit, low, high, len(values), side, g.bound, verdict)
}
