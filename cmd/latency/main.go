// Command latency measures how late periodic real-time threads wake up, and
// prints the table of Xenomai's latency.
//
//	latency -p 100                          until Ctrl-C: a line a second, then the summary
//	latency -p 100 -T 60 -q -o before.run   one minute, the summary, and a run log beside it
//	latency -p 100 -T 60 --max 150us        status 3 when the worst case is over 150 us
//	latency -p 100 -T 10 -h -s -g hist.dat  histogram, statistics, and a file for gnuplot
//	latency -p 100 -c 0-1 -T 10             a thread and a series for each CPU
//	latency -p 100 --break 150us            stop at the first sample above
//	latency -p 100 --raw samples.bin        every sample with its date
//	latency -p 100 -T 10 --json             one JSON document
//	latency -p 100 -T 60 --load xenomai     under load, which is recorded with the run
//	latency -p 100 -T 60 --stages           where the time of each wake-up went
//	latency -p 100 -T 60 --spikes 10        the ten worst wake-ups, and who was to blame
//
// SIGUSR1 prints the table so far. INT, TERM and HUP end the measurement with
// its summary. The exit status is 0 for good, 1 when measuring failed, 2 for a
// wrong option, 3 when a limit was exceeded, 4 for what this machine or user
// can't do, 5 when the figures contradict themselves.
package main

import (
	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/latencycmd"
	"worstcase/latency"
	"worstcase/loadgen"
	"worstcase/sampler"
)

func main() {
	loadgen.Main()
	sampler.Main(latency.Loop)
	cli.Run("latency", latencycmd.Run)
}
