// Command transport measures how long messages take from one process to
// others, over the kernel's transports, shared memory and middlewares.
//
//	transport --list                          what there is on this machine
//	transport shm -s 16B -f 100 -T 10         one cell, a line a second
//	transport all -s 16B,64K,1M,10M -T 5      a table, a row for each cell
//	transport shm,unix,tcp --preset apollo    the scenarios of the CyberRT report
//
// transport --help tells the options.
package main

import (
	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/transportcmd"
	"worstcase/loadgen"
	"worstcase/sampler"
	"worstcase/transport"
)

func main() {
	list := transportcmd.Transports()
	sampler.Main(transport.Loops(list)...)
	transport.BrokerMain(list)
	loadgen.Main()
	cli.Run("transport", transportcmd.Run)
}
