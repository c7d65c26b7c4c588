// Command switchbench measures worstcase's switchbench against the programs that
// measure the same, the two in turn on the same CPU at the same priority, and
// prints the ratios ours / theirs with the 95 % confidence interval of their
// median.
//
//	go run ./bench/switchbench [-pairs 10] [-seconds 5] [-cpu 1] [-parts futex,mqueue,semaphore,signal,pi,pipe]
//
//	futex, mqueue, semaphore, signal   CPU time per cycle against rt-tests' ptsematest,
//	                                   pmqtest, svsematest and sigwaittest, which print whole us.
//	                                   Their cycle has an answer besides, ours has none
//	pi                                 PI futex: minimum, average and CPU time against a C program
//	pipe                               a round trip against perf bench sched pipe
//
// It needs root, rt-tests, linux-perf and a C compiler. Only the ratios mean
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
	n := flag.Int("pairs", 10, "pairs of runs for each figure")
	seconds := flag.Int("seconds", 5, "length of a run")
	cpu := flag.Int("cpu", 1, "the CPU to measure")
	parts := flag.String("parts", "futex,mqueue,semaphore,signal,pi,pipe", "what to compare")
	flag.Parse()
	if err := run(bench{pairs: *n, seconds: *seconds, cpu: *cpu}, strings.Split(*parts, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench-switchbench:", err)
		os.Exit(1)
	}
}

func run(b bench, parts []string) error {
	dir, err := os.MkdirTemp("", "bench-switchbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.dir, b.ours = dir, filepath.Join(dir, "switchbench")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", b.ours, "./cmd/switchbench")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build switchbench: %w: %s", err, out)
	}
	rivals := map[string]string{"futex": "ptsematest", "mqueue": "pmqtest", "semaphore": "svsematest", "signal": "sigwaittest"}
	for _, name := range parts {
		var err error
		switch {
		case rivals[name] != "":
			err = b.rtTests(name, rivals[name])
		case name == "pi":
			err = b.piFutex()
		case name == "pipe":
			err = b.pipe()
		default:
			err = fmt.Errorf("no part %q: futex, mqueue, semaphore, signal, pi or pipe", name)
		}
		if err != nil {
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

// A sample is the figures of one run in ns, 0 where it has none.
type sample struct{ minimum, average, cpu float64 }

// compare makes the pairs and prints a line for each figure that both have.
func (b *bench) compare(what, rival string, ours, theirs func() (sample, error)) error {
	var a, c []sample
	for i := range b.pairs {
		fmt.Fprintf(os.Stderr, "\r%s: pair %d of %d ", what, i+1, b.pairs)
		x, err := ours()
		if err != nil {
			return err
		}
		y, err := theirs()
		if err != nil {
			return err
		}
		a, c = append(a, x), append(c, y)
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	fmt.Printf("%s, %d pairs, cpu %d\n", what, b.pairs, b.cpu)
	for _, f := range []struct {
		name string
		of   func(sample) float64
	}{
		{"min", func(s sample) float64 { return s.minimum }},
		{"avg", func(s sample) float64 { return s.average }},
		{"CPU time per cycle", func(s sample) float64 { return s.cpu }},
	} {
		if f.of(a[0]) > 0 && f.of(c[0]) > 0 {
			fmt.Println("  " + pairs.Ratio(f.name, column(a, f.of), column(c, f.of), rival))
		}
	}
	return nil
}

func column(list []sample, of func(sample) float64) []float64 {
	var values []float64
	for _, s := range list {
		values = append(values, of(s))
	}
	return values
}
