// Command loadgen measures worstcase's loads against Debian's hackbench and
// stress-ng, in turn (A B A B), and prints the medians of both and of the pairs'
// ratios ours / theirs with the 95 % confidence interval of the latter. It also
// checks that limits hold and what controlling a load costs.
//
//	go run ./bench/loadgen [-pairs 8] [-seconds 5] [-parts sched,fork,exec,memory,cpu,limit,control,worst]
//
// It needs root, hackbench of the package rt-tests, and stress-ng. Part worst
// runs latency under the load worst and under each of the others for -seconds,
// -pairs times; give it a profile of this machine's with -worst FILE.yaml.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/loadgen"
)

func main() {
	loadgen.Main()
	b := bench{}
	flag.IntVar(&b.pairs, "pairs", 8, "pairs of runs for each figure")
	seconds := flag.Float64("seconds", 5, "length of a run")
	flag.StringVar(&b.worst, "worst", "worst", "the load, or profile, to compare in part worst")
	parts := flag.String("parts", "sched,fork,exec,memory,cpu,limit,control,worst", "what to measure")
	flag.Parse()
	b.length = time.Duration(*seconds * float64(time.Second))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	defer stop()
	if err := b.run(ctx, strings.Split(*parts, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "bench-loadgen:", err)
		os.Exit(1)
	}
}

// A bench is the settings of all comparisons.
type bench struct {
	pairs  int
	length time.Duration
	worst  string
}

func (b *bench) run(ctx context.Context, parts []string) error {
	all := map[string]func(context.Context) error{
		"sched": b.sched, "fork": b.fork, "exec": b.exec, "memory": b.memory,
		"cpu": b.quotas, "limit": b.limit, "control": b.control, "worst": b.worstLoad,
	}
	for _, name := range parts {
		part, ok := all[name]
		if !ok {
			return fmt.Errorf("no part %q", name)
		}
		if err := part(ctx); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// A running load is what happens while one of ours runs.
type running struct {
	rates    map[string]loadgen.Rate
	switches float64 // context switches of the machine per second
}

// ours runs a load for the bench's length. during, when not nil, is called
// while it runs and decides when it ends.
func (b *bench) ours(ctx context.Context, c loadgen.Config, during func(l *loadgen.Load) error) (running, error) {
	l := loadgen.New(c)
	if err := l.Start(ctx); err != nil {
		return running{}, err
	}
	before, start := contextSwitches(), time.Now()
	var err error
	if during != nil {
		err = during(l)
	} else {
		time.Sleep(b.length)
	}
	r := running{rates: l.Rates(), switches: (contextSwitches() - before) / time.Since(start).Seconds()}
	return r, errors.Join(err, l.Stop())
}

// config makes a Config of a Spec's text.
func config(text string) (loadgen.Config, error) { return loadgen.Resolve(strings.Split(text, ",")...) }
