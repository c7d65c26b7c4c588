package pairs

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A Sample is the figures of one run by name, in ns.
type Sample map[string]float64

// A Tool makes one run.
type Tool func() (Sample, error)

// atLeast is the number of pairs whose range is a 95 % interval of their median.
const atLeast = 6

// Compare runs ours and theirs in turn, and prints a line for each of the figures. A pair in which one of both doesn't know a figure, or has 0, is
// left out of it.
func (b *Bench) Compare(ctx context.Context, what, rival string, figures []string, ours, theirs Tool) error {
	x, y := map[string][]float64{}, map[string][]float64{}
	for i := range b.Pairs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintf(os.Stderr, "\r%s: pair %d of %d ", what, i+1, b.Pairs)
		a, err := ours()
		if err != nil {
			return err
		}
		t, err := theirs()
		if err != nil {
			return err
		}
		for _, f := range figures {
			if a[f] > 0 && t[f] > 0 {
				x[f], y[f] = append(x[f], a[f]), append(y[f], t[f])
			}
		}
	}
	fmt.Fprint(os.Stderr, "\r\033[K")
	for _, f := range figures {
		if len(x[f]) < atLeast {
			fmt.Printf("%s %s: known in %d of %d pairs only, too few to compare\n", what, f, len(x[f]), b.Pairs)
			continue
		}
		fmt.Println(Ratio(what+" "+f, "ns", x[f], y[f], rival))
	}
	return nil
}

// build builds one of the commands as it ships into dir and returns its path.
func build(dir, command string) (string, error) {
	path := filepath.Join(dir, command)
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./cmd/"+command)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", command, err, out)
	}
	return path, nil
}

// CPUTime is what a command that has ended, and its children, took of all CPUs,
// in ns.
func CPUTime(cmd *exec.Cmd) float64 {
	return float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
}
