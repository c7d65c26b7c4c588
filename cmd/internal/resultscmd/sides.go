package resultscmd

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"worstcase/results"
	"worstcase/results/compare"
)

// readBlocks reads logs of one run each a second time, into blocks. What is no
// regular file has none.
func readBlocks(paths ...string) ([]*compare.Blocks, error) {
	blocks := make([]*compare.Blocks, len(paths))
	files := decoding()
	for i, path := range paths {
		files.Go(func() (err error) {
			blocks[i], err = blocksOf(path)
			return err
		})
	}
	return blocks, files.Wait()
}

// decoding takes files of which every interval is decoded, a file a CPU at once:
// a day takes some two seconds.
func decoding() *errgroup.Group {
	files := new(errgroup.Group)
	files.SetLimit(runtime.GOMAXPROCS(0))
	return files
}

func blocksOf(path string) (*compare.Blocks, error) {
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
	for iv, err := range results.Intervals(f) {
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if err := blocks.Put(iv); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// addBlocks gives blocks to the sides that have one run, which is the only one
// of its file, where one stands against another.
func addBlocks(sides []compare.Side) error {
	files := map[string]int{} // how many runs there are in each
	for _, s := range sides {
		for _, r := range s.Runs {
			files[r.Source]++
		}
	}
	var single []int
	var paths []string
	for i, s := range sides {
		if len(s.Runs) == 1 && files[s.Runs[0].Source] == 1 {
			single, paths = append(single, i), append(paths, s.Runs[0].Source)
		}
	}
	if len(single) < 2 || single[0] != 0 {
		return nil
	}
	blocks, err := readBlocks(paths...)
	for k, i := range single {
		sides[i].Blocks = blocks[k]
	}
	return err
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
