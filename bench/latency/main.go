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
	"os/exec"
	"path/filepath"
	"strings"

	"worstcase/bench/pairs"
)

func main() {
	pairs := flag.Int("pairs", 10, "pairs of runs for each figure")
	seconds := flag.Int("seconds", 5, "length of a run")
	cpu := flag.Int("cpu", 1, "the CPU to measure")
	parts := flag.String("parts", "latency,tail,cpu,period", "what to compare")
	flag.Parse()
	if err := run(bench{pairs: *pairs, seconds: *seconds, cpu: *cpu}, strings.Split(*parts, ",")); err != nil {
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
	b.dir, b.ours = dir, filepath.Join(dir, "latency")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.ours, "./cmd/latency")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build latency: %w: %s", err, out)
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

// compare makes the pairs and prints a line for each of the figures.
func (b *bench) compare(seconds int, figures []figure, ours, theirs func(seconds int) (sample, error)) error {
	var a, c []sample
	for i := range b.pairs {
		fmt.Fprintf(os.Stderr, "\r%v: pair %d of %d ", figures, i+1, b.pairs)
		x, err := ours(seconds)
		if err != nil {
			return err
		}
		y, err := theirs(seconds)
		if err != nil {
			return err
		}
		a, c = append(a, x), append(c, y)
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	for _, f := range figures {
		x, y := known(f, a, c)
		if len(x) < 6 {
			fmt.Printf("%-18s known in %d of %d pairs only: too few to compare\n", f, len(x), len(a))
			continue
		}
		fmt.Println(ratio(f, x, y))
	}
	return nil
}

// known are the pairs in which both tools gave the figure (cyclictest's
// histogram ends at 100 us). Six are the least whose range is a 95 % interval.
func known(f figure, ours, theirs []sample) (a, b []sample) {
	for i := range ours {
		if ours[i][f] > 0 && theirs[i][f] > 0 {
			a, b = append(a, ours[i]), append(b, theirs[i])
		}
	}
	return a, b
}

func (b *bench) latencies() error {
	fmt.Printf("%d pairs of %d s, period 100 us, FIFO 95, cpu %d; ratio worstcase / cyclictest\n", b.pairs, b.seconds, b.cpu)
	return b.compare(b.seconds, []figure{minimum, average}, b.measureOurs(100), b.measureTheirs(100))
}

// tails compares p99, for which cyclictest needs its histogram.
func (b *bench) tails() error {
	return b.compare(b.seconds, []figure{p99}, b.measureOurs(100), b.measureTheirs(100, "-h", "100000"))
}

// cpuTime compares what a cycle costs, start and end included: longer runs.
func (b *bench) cpuTime() error {
	return b.compare(4*b.seconds, []figure{cpu}, b.measureOurs(100), b.measureTheirs(100))
}

// smallestPeriod looks, in whole us, for the shortest period of which less
// than 2 % is missed, three runs of two seconds each.
func (b *bench) smallestPeriod() error {
	for _, tool := range []struct {
		name    string
		measure func(us int, extra ...string) func(int) (sample, error)
	}{{"worstcase", b.measureOurs}, {"cyclictest", b.measureTheirs}} {
		for us := 5; us <= 50; us++ {
			var lost []float64
			for range 3 {
				s, err := tool.measure(us)(2)
				if err != nil {
					s = sample{missed: 1} // the watchdog: too short
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
