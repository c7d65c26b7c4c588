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

	"worstcase/bench/pairs"
)

func main() {
	b := bench{}
	flag.IntVar(&b.cpu, "cpu", 1, "the CPU to measure")
	b.Main(
		"bench-switchbench", "switchbench",
		b.rtTests("futex", "ptsematest"),
		b.rtTests("mqueue", "pmqtest"),
		b.rtTests("semaphore", "svsematest"),
		b.rtTests("signal", "sigwaittest"),
		pairs.Part{Name: "pi", Run: b.piFutex},
		pairs.Part{Name: "pipe", Run: b.pipe},
	)
}

// A bench is the settings of all comparisons.
type bench struct {
	pairs.Bench
	cpu int
}
