// Command loadgen makes loads under which a machine shows its worst latency,
// keeps them in a cgroup, prints what they achieve, and takes every trace of
// them away.
//
//	loadgen --list                              kinds and profiles, what each stresses, what it needs
//	loadgen --profile xenomai -T 60             dd, ls -lR, ps, interrupts, hackbench's groups, a network flood
//	loadgen cpu:2 fork:1 cache net -c 0 -T 10   kinds with counts, on CPU 0
//	loadgen --exec 'stress-ng --matrix 2' -T 60 any command, in the same cgroup
//	loadgen --search --save-profile worst.yaml  rank the kinds, and the pairs of the worst, by latency's p99.99
//
// Each kind runs as processes of this program, which die with it: SIGKILL of
// loadgen leaves a supervisor that cleans up, and what a killed supervisor left
// is removed by the next start. Memory, disk space and processes are bounded
// (--memory, --disk, --pids), CPU time where asked (--quota, --weight); a load
// that would make the machine swap is refused. Nothing is real-time but the kind
// called priority.
//
// Without a cgroup that it may write to, loadgen bounds the load's processes one
// by one and says so; a quota or weight is then refused with status 4.
package main

import (
	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadgencmd"
	"worstcase/latency"
	"worstcase/loadgen"
	"worstcase/sampler"
)

func main() {
	loadgen.Main()
	sampler.Main(latency.Loop)
	cli.Run("loadgen", loadgencmd.Run)
}
