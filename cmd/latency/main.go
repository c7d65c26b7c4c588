// Command latency measures how late periodic real-time threads wake up.
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
