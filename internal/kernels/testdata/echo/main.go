// Command echo does in a guest what the tests of package kernels ask for.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	status := flag.Int("status", 0, "exit with this status")
	sleep := flag.Duration("sleep", 0, "sleep first")
	panics := flag.Bool("panic", false, "make the kernel panic")
	flag.Parse()
	time.Sleep(*sleep)
	if *panics {
		os.WriteFile("/proc/sysrq-trigger", []byte("c"), 0o200)
	}
	for _, a := range flag.Args() {
		fmt.Println(a)
	}
	io.Copy(os.Stdout, os.Stdin)
	fmt.Fprintln(os.Stderr, "to stderr")
	if err := os.WriteFile("/tmp/file", []byte("kept\n"), 0o644); err != nil {
		*status = 1
	}
	os.Exit(*status)
}
