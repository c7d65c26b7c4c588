package loadgen

import (
	"fmt"
	"os"
)

// The first arguments that mark a process of a load.
const (
	markSupervisor = "loadgen-supervisor"
	markWorker     = "loadgen-worker"
	markNothing    = "loadgen-nothing"
)

// Main returns at once in an ordinary process. In a supervisor or worker it does
// their work and exits. It must be the first line of every main and TestMain.
func Main() {
	if len(os.Args) < 2 {
		return
	}
	var err error
	switch {
	case os.Args[1] == markSupervisor:
		err = runSupervisor()
	case os.Args[1] == markWorker && len(os.Args) == 3:
		err = runWorker(os.Args[2])
	case os.Args[1] == markNothing:
	default:
		return
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: load: %v\n", err)
		os.Exit(1)
	}
	os.Exit(0)
}
