// Package tracefstest compares the kernel's tracer before and after.
package tracefstest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Settings are all that a process could have changed and left, by their names
// under root: the text of every file that can be read and written, and the
// instances. What the kernel itself changes is left out: traces, their counters
// and sizes.
func Settings(root string) (map[string]string, error) {
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // an instance that ends meanwhile
		}
		name := strings.TrimPrefix(path, root+"/")
		if d.IsDir() {
			if filepath.Dir(name) == "instances" {
				all[name] = "an instance"
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || info.Mode()&0o600 != 0o600 || volatile(name) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil // hardware that isn't there
		}
		// A buffer that nobody has used yet tells to what it will grow, some kernels
		// no longer once an instance has been there.
		value, _, _ := strings.Cut(string(text), " (expanded: ")
		all[name] = strings.TrimSpace(value)
		return nil
	})
	return all, err
}

// volatile tells of a file whose text changes by itself, or would be taken by
// reading it.
func volatile(name string) bool {
	switch filepath.Base(name) {
	case "trace", "trace_pipe", "trace_pipe_raw", "trace_marker", "trace_marker_raw", "buffer_total_size_kb", "stats", "error_log",
		"saved_cmdlines", "free_buffer", "snapshot", "snapshot_raw", "tracing_max_latency", "timerlat_fd":
		return true
	}
	return false
}
