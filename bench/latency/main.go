// Command latency measures worstcase's latency against Debian's cyclictest, the
// two in turn on the same CPU at the same priority, and prints the ratios ours /
// theirs with the 95 % confidence interval of their median.
//
//	go run ./bench/latency [-pairs 10] [-seconds 5] [-cpu 1] [-parts latency,tail,cpu,period]
//
// The period is 100 us, the policy FIFO 95. It needs root, and cyclictest of the
// package rt-tests. Only the ratios mean
// anything: absolute times differ from minute to minute.
package main

import (
	"context"
	"flag"
	"fmt"

	"worstcase/bench/pairs"
)

func main() {
	b := bench{}
	flag.IntVar(&b.cpu, "cpu", 1, "the CPU to measure")
	b.Main(
		"bench-latency", "latency",
		pairs.Part{Name: "latency", Run: b.latencies},
		pairs.Part{Name: "tail", Run: b.tails},
		pairs.Part{Name: "cpu", Run: b.cpuTime},
		pairs.Part{Name: "period", Run: b.smallestPeriod},
	)
}

// A bench is the settings of all comparisons.
type bench struct {
	pairs.Bench
	cpu int
}

// compare compares runs at a period of 100 us, FIFO 95.
func (b *bench) compare(ctx context.Context, seconds int, figures []string, extra ...string) error {
	return b.Compare(ctx, fmt.Sprintf("%d s", seconds), "cyclictest", figures,
		b.measureOurs(100, seconds), b.measureTheirs(100, seconds, extra...))
}

func (b *bench) latencies(ctx context.Context) error {
	return b.compare(ctx, b.Seconds, []string{minimum, average})
}

// tails compares p99, for which cyclictest needs its histogram.
func (b *bench) tails(ctx context.Context) error {
	return b.compare(ctx, b.Seconds, []string{p99}, "-h", "100000")
}

// cpuTime compares what a cycle costs, start and end included: longer runs.
func (b *bench) cpuTime(ctx context.Context) error { return b.compare(ctx, 4*b.Seconds, []string{cpu}) }

// smallestPeriod looks, in whole us, for the shortest period of which less
// than 2 % is missed, three runs of two seconds each.
func (b *bench) smallestPeriod(ctx context.Context) error {
	for _, tool := range []struct {
		name    string
		measure func(us, seconds int, extra ...string) pairs.Tool
	}{{"worstcase", b.measureOurs}, {"cyclictest", b.measureTheirs}} {
		for us := 5; us <= 50; us++ {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			var lost []float64
			for range 3 {
				s, err := tool.measure(us, 2)()
				if err != nil {
					s = pairs.Sample{missed: 1} // the watchdog: too short
				}
				lost = append(lost, s[missed])
			}
			if m := pairs.Median(lost); m < 0.02 {
				fmt.Printf("smallest period with under 2 %% missed: %s %d us (%.2f %%)\n", tool.name, us, 100*m)
				break
			}
		}
	}
	return nil
}
