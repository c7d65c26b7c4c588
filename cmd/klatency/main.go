// Command klatency measures how late the kernel wakes periodic threads.
package main

import (
	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/klatencycmd"
	"worstcase/latency"
	"worstcase/loadgen"
	"worstcase/sampler"
)

func main() {
	loadgen.Main()
	sampler.Main(latency.Loop)
	cli.Run("klatency", klatencycmd.Run)
}
