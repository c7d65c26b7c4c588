// Package job is what a host and the /init of its guest say to each other: the
// host leaves a Job in the initramfs, the guest writes a line of JSON for each
// Result to its serial port.
package job

import "time"

// Path is where the guest finds its Job.
const Path = "/job.json"

// Port is the name of the virtio serial port that takes the results.
const Port = "results"

// A Job is what a guest does.
type Job struct {
	// Modules are the files of modules to load, in order.
	Modules []string `json:"modules"`
	// Settle is how long to wait before the first command.
	Settle   time.Duration `json:"settle"`
	Commands []Command     `json:"commands"`
}

// A Command is run in the guest, as root, in /tmp.
type Command struct {
	Args []string `json:"args"`
	// Env is added to PATH, HOME and TMPDIR.
	Env []string `json:"env,omitempty"`
	// Stdin is what the command reads.
	Stdin []byte `json:"stdin,omitempty"`
	// Collect names files that are brought out afterwards.
	Collect []string `json:"collect,omitempty"`
	// Timeout ends the command, in the guest's time; none when 0.
	Timeout time.Duration `json:"timeout,omitempty"`
}

// A Result is what became of a command.
type Result struct {
	// Status is the exit status, -1 after a signal or when it could not be run.
	Status int `json:"status"`
	// Error says why a command has no exit status.
	Error  string `json:"error,omitempty"`
	Stdout []byte `json:"stdout,omitempty"`
	Stderr []byte `json:"stderr,omitempty"`
	// Files are those of Collect that were there.
	Files map[string][]byte `json:"files,omitempty"`
	// Took is how long it ran, in the guest's time.
	Took time.Duration `json:"took"`
	// CPU is the processor time that it and its children took, in the guest's
	// time.
	CPU time.Duration `json:"cpu"`
}

// A Line is one line on the port: a result, a failure of the guest itself, or
// the end of the job. Without a last line that says Done the guest died.
type Line struct {
	Result *Result `json:"result,omitempty"`
	Error  string  `json:"error,omitempty"`
	Done   bool    `json:"done,omitempty"`
}
