package resultscmd

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/compare"
)

// readBlocks reads the only run of a log a second time, into blocks.
func readBlocks(path string) (*compare.Blocks, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil // a folder or a pipe: there are no blocks, and no intervals
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	defer f.Close()
	blocks := &compare.Blocks{}
	for r := results.NewReader(f); ; {
		rec, err := r.Next()
		switch {
		case err == io.EOF:
			return blocks, nil
		case err != nil:
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if err := blocks.Put(rec); err != nil {
			return nil, err
		}
	}
}

// valueOf is what a run has under a key: label, tool, load, a configuration
// behind "config.", or a fact of the host.
func valueOf(r *results.Run, key string) (string, bool) {
	name, config := strings.CutPrefix(key, "config.")
	switch {
	case key == "label":
		return r.Label, r.Label != ""
	case key == "tool":
		return r.Tool, r.Tool != ""
	case key == "load":
		// Whether there was one is not known of a file that tells no host.
		return cmp.Or(r.ConfigText(results.ConfigLoad), "no load"), len(r.Host) > 0
	case config:
		v, ok := r.Config[name]
		return fmt.Sprint(v), ok
	}
	v, ok := r.Host[key]
	return v, ok
}

// first is when the earliest of runs started.
func first(runs []*results.Run) time.Time {
	return slices.MinFunc(runs, func(a, b *results.Run) int { return a.Started.Compare(b.Started) }).Started
}
