// Command init is the first process of a guest that package kernels boots. It
// mounts what a command expects, loads modules, runs the commands of its job,
// writes their results to the serial port, and switches the machine off. It is
// of no use anywhere else.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/kernels/job"
)

func main() {
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "init: this is the first process of a guest, see package kernels")
		os.Exit(2)
	}
	if err := work(); err != nil {
		fmt.Println("init:", err)
	}
	unix.Sync()
	if err := unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF); err != nil {
		fmt.Println("init: power off:", err)
	}
	select {}
}

// work does the whole job.
func work() error {
	text, err := os.ReadFile(job.Path)
	if err != nil {
		return err
	}
	var j job.Job
	if err := json.Unmarshal(text, &j); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	if err := setup(j.Modules); err != nil {
		return err
	}
	port, err := openPort()
	if err != nil {
		return err
	}
	say := json.NewEncoder(port)
	if err := loopbackUp(); err != nil {
		return say.Encode(job.Line{Error: err.Error()})
	}
	time.Sleep(j.Settle)
	for _, c := range j.Commands {
		r := execute(c)
		if err := say.Encode(job.Line{Result: &r}); err != nil {
			return fmt.Errorf("write a result: %w", err)
		}
	}
	if err := say.Encode(job.Line{Done: true}); err != nil {
		return err
	}
	return drain(port)
}

// drain waits until the other side has taken all.
func drain(port io.Closer) error {
	err := port.Close()
	unix.Sync()
	return err
}
