// Command latency measures worstcase's latency against Debian's cyclictest, the
// two in turn on the same CPU at the same priority, and prints the ratios ours /
// theirs with the 95 % confidence interval of their median.
//
//	go run ./bench/latency [-pairs 10] [-seconds 5] [-cpu 1] [-parts latency,tail,cpu,period]
//
// It needs root, and cyclictest of the package rt-tests. Only the ratios mean
// anything: absolute times differ from minute to minute.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"worstcase/bench/pairs"
)

func main() {
	n := flag.Int("pairs", 10, "pairs of runs for each figure")
	seconds := flag.Int("seconds", 5, "length of a run")
	cpu := flag.Int("cpu", 1, "the CPU to measure")
	parts := flag.String("parts", "latency,tail,cpu,period", "what to compare")
	flag.Parse()
	if err := run(bench{pairs: *n, seconds: *seconds, cpu: *cpu}, strings.Split(*parts, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench-latency:", err)
		os.Exit(1)
	}
}

func run(b bench, parts []string) error {
	dir, err := os.MkdirTemp("", "bench-latency")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Printf("period 100 us, FIFO 95, cpu %d; ratio worstcase / cyclictest\n", b.cpu)
	b.dir = dir
	if b.ours, err = pairs.Build(dir, "latency"); err != nil {
		return err
	}
	all := map[string]func() error{"latency": b.latencies, "tail": b.tails, "cpu": b.cpuTime, "period": b.smallestPeriod}
	for _, name := range parts {
		part, ok := all[name]
		if !ok {
			return fmt.Errorf("no part %q: latency, tail, cpu or period", name)
		}
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// A bench is the settings of all comparisons.
type bench struct {
	pairs, seconds, cpu int
	dir, ours           string
}

// compare compares runs at a period of 100 us.
func (b *bench) compare(seconds int, figures []string, extra ...string) error {
	return pairs.Compare(fmt.Sprintf("%d s", seconds), "cyclictest", b.pairs, figures,
		b.measureOurs(100, seconds), b.measureTheirs(100, seconds, extra...))
}

func (b *bench) latencies() error { return b.compare(b.seconds, []string{minimum, average}) }

// tails compares p99, for which cyclictest needs its histogram.
func (b *bench) tails() error { return b.compare(b.seconds, []string{p99}, "-h", "100000") }

// cpuTime compares what a cycle costs, start and end included: longer runs.
func (b *bench) cpuTime() error { return b.compare(4*b.seconds, []string{cpu}) }

// smallestPeriod looks, in whole us, for the shortest period of which less
// than 2 % is missed, three runs of two seconds each.
func (b *bench) smallestPeriod() error {
	for _, tool := range []struct {
		name    string
		measure func(us, seconds int, extra ...string) pairs.Tool
	}{{"worstcase", b.measureOurs}, {"cyclictest", b.measureTheirs}} {
		for us := 5; us <= 50; us++ {
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
