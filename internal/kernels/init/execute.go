package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"time"

	"worstcase/internal/kernels/job"
)

// execute runs one command to its end.
func execute(c job.Command) job.Result {
	ctx, cancel := context.WithCancel(context.Background())
	if c.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
	}
	defer cancel()
	if len(c.Args) == 0 {
		return job.Result{Status: -1, Error: "run a command: it has no name"}
	}
	os.Setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin")
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Dir = "/tmp"
	cmd.Env = append([]string{"PATH=/bin:/sbin:/usr/bin:/usr/sbin", "HOME=/tmp", "TMPDIR=/tmp"}, c.Env...)
	cmd.WaitDelay = 2 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(c.Stdin), &stdout, &stderr
	begin := time.Now()
	err := cmd.Run()
	r := job.Result{Status: -1, Took: time.Since(begin), Files: map[string][]byte{}}
	if cmd.ProcessState != nil {
		r.Status = cmd.ProcessState.ExitCode()
		r.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err != nil && r.Status < 0 {
		r.Error = err.Error()
	}
	r.Stdout, r.Stderr = stdout.Bytes(), stderr.Bytes()
	for _, path := range c.Collect {
		if data, err := os.ReadFile(path); err == nil {
			r.Files[path] = data
		}
	}
	return r
}
