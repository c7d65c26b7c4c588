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
	b.dir = dir
	if b.ours, err = pairs.Build(dir, "switchbench"); err != nil {
		return err
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

// compare compares all figures that both have.
func (b *bench) compare(what, rival string, figures []string, ours, theirs pairs.Tool) error {
	return pairs.Compare(what, rival, b.pairs, figures, ours, theirs)
}
