// Command klatency measures how late the kernel itself wakes periodic threads,
// up to the moment at which they are switched in or their timer's handler is
// called. It loads eBPF programs, or uses the timerlat tracer; no module.
//
//	klatency -T 10                   until the thread is switched in
//	klatency -t 2 -T 10              until its timer's handler is called
//	klatency -T 60 --stages          what every stage of the way took
//	klatency -T 60 --spikes 10       the worst wake-ups, and who was to blame
//	klatency -T 60 -o before.run     keep a run log for results
//	klatency --backend timerlat -t 2,1 -T 60     both, by the kernel's own tracer
package main

import (
	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/klatencycmd"
	"worstcase/klatency"
	"worstcase/latency"
	"worstcase/loadgen"
	"worstcase/sampler"
)

func main() {
	loadgen.Main()
	sampler.Main(latency.Loop, klatency.NoiseLoop, klatency.TimerlatLoop)
	cli.Run("klatency", klatencycmd.Run)
}
