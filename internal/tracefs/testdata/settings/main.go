// Command settings prints the tracer's settings as JSON, for tests in guests.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"worstcase/internal/tracefs/tracefstest"
)

func main() {
	all, err := tracefstest.Settings("/sys/kernel/tracing")
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(all)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
