package sampler

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// execute starts the process and gives it its configuration.
func (c *Child) execute(memory *os.File, cfg Config) error {
	controlRead, controlWrite, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make control pipe: %w", err)
	}
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		controlRead.Close()
		controlWrite.Close()
		return fmt.Errorf("make report pipe: %w", err)
	}
	cmd := &exec.Cmd{
		Path:        "/proc/self/exe",
		Args:        []string{os.Args[0], childArgument},
		Env:         append(os.Environ(), "GODEBUG=asyncpreemptoff=1"),
		Stderr:      os.Stderr,
		ExtraFiles:  append([]*os.File{memory, controlRead, reportWrite}, cfg.Files...),
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	err = c.supervise(cmd)
	controlRead.Close()
	reportWrite.Close()
	if err != nil {
		controlWrite.Close()
		reportRead.Close()
		return fmt.Errorf("start sampler: %w", err)
	}
	c.control = controlWrite
	go c.read(reportRead)
	return json.NewEncoder(controlWrite).Encode(config{
		Parent: os.Getpid(), Loop: cfg.Loop, Threads: cfg.Threads, CPULimit: cfg.cpuLimit(),
		LockMemory: !cfg.Unlocked, GC: cfg.GC, Files: len(cfg.Files), Args: cfg.Args,
	})
}

// supervise starts cmd and waits for it on one thread that lives as long as the
// child: the child's death signal fires when the thread that made it ends.
func (c *Child) supervise(cmd *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		c.exit = cmd.Wait()
		close(c.exited)
	}()
	err := <-started
	c.process = cmd.Process
	return err
}

// read passes the child's reports on until its pipe ends.
func (c *Child) read(pipe *os.File) {
	defer close(c.reports)
	defer pipe.Close()
	for lines := json.NewDecoder(pipe); ; {
		var r report
		if lines.Decode(&r) != nil {
			return
		}
		c.reports <- r
	}
}
