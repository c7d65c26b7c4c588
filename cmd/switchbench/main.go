// Command switchbench measures what it costs to switch from one thread to
// another, by every mechanism that Linux has for it, and prints the table of
// Xenomai's switch test.
//
//	switchbench -p 100 -n 100000               one line: minimum, average, maximum, lost
//	switchbench -n 10000 --format xenomai2.0   the same in nanoseconds
//	switchbench --mechanism all -T 20          every mechanism, a row each
//	switchbench --mechanism pipe,eventfd -T 5 --space both --markdown
//	switchbench --waiter above                 the waiter takes the CPU at once
//	switchbench --cpus 0,1 --mechanism futex   waker and waiter on two CPUs
//	switchbench --ping-pong --mechanism pipe   round trips, with no timer in them
//	switchbench --threads 2..64 --working-set 0,64K,1M
//	switchbench -T 60 --max 50us --max-lost 0  status 3 when a limit is exceeded
//	switchbench -T 60 -o before.run            a run log beside the table
//
// A sample is the time from the waker's clock just before it signals to the
// waiter's clock when it runs. By default both share a CPU and the waiter has the
// lower priority, so that the waker's way to sleep is in the figure. A pulse that
// the waiter missed is counted as lost, and is in no other figure.
//
// The mechanisms are futex, pi-futex (a lock that the other waits for), eventfd,
// pipe, socketpair, seqpacket, mqueue (POSIX), semaphore (System V), signal,
// io_uring (a message from ring to ring), yield (sched_yield, without a timer)
// and deadline (a futex between SCHED_DEADLINE threads). One that this machine
// or user can't have has a row that says why; alone it is status 4.
package main

import (
	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/switchbenchcmd"
	"worstcase/loadgen"
	"worstcase/sampler"
	"worstcase/switchbench"
)

func main() {
	loadgen.Main()
	sampler.Main(switchbench.Loop)
	cli.Run("switchbench", switchbenchcmd.Run)
}
