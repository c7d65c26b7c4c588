package pairs

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// A Bench is what the flags of every benchmark set.
type Bench struct {
	// Pairs of runs for each figure, and the Seconds of a run.
	Pairs, Seconds int
	// Dir is a directory for the benchmark's files, and Ours the command that it
	// measures, built as it ships.
	Dir, Ours string
}

// A Part is one comparison of a benchmark.
type Part struct {
	Name string
	Run  func(context.Context) error
}

// Main is the life of a benchmark of that name: it parses the flags -pairs,
// -seconds and -parts beside those that the program has, builds the command ours,
// fills in b, and runs the parts that were asked for. An interrupt ends it, and
// an error ends the program with status 1.
func (b *Bench) Main(name, ours string, parts ...Part) {
	var names []string
	for _, p := range parts {
		names = append(names, p.Name)
	}
	flag.IntVar(&b.Pairs, "pairs", 10, "pairs of runs for each figure")
	flag.IntVar(&b.Seconds, "seconds", 5, "length of a run")
	asked := flag.String("parts", strings.Join(names, ","), "what to compare")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	err := b.run(ctx, ours, parts, strings.Split(*asked, ","))
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func (b *Bench) run(ctx context.Context, ours string, parts []Part, asked []string) (err error) {
	for _, name := range asked {
		if !slices.ContainsFunc(parts, func(p Part) bool { return p.Name == name }) {
			return fmt.Errorf("no part %q: -help tells them", name)
		}
	}
	if b.Dir, err = os.MkdirTemp("", "bench"); err != nil {
		return err
	}
	defer os.RemoveAll(b.Dir)
	if b.Ours, err = build(b.Dir, ours); err != nil {
		return err
	}
	for _, p := range parts {
		if !slices.Contains(asked, p.Name) {
			continue
		}
		if err := p.Run(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}
