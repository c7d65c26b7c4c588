// Command loadgen measures worstcase's loads against Debian's hackbench and
// stress-ng, in turn (A B A B), and prints the medians of both and of the pairs'
// ratios ours / theirs with the 95 % confidence interval of the latter. It also
// checks that limits hold and what controlling a load costs.
//
//	go run ./bench/loadgen [-pairs 10] [-seconds 5] [-parts sched,fork,exec,memory,cpu,limit,control,worst]
//
// It needs root, hackbench of the package rt-tests, and stress-ng. Part worst
// runs latency under the load worst and under each of the others for -seconds,
// -pairs times; give it a profile of this machine's with -worst FILE.yaml.
package main

import (
	"context"
	"errors"
	"flag"
	"strings"
	"time"

	"worstcase/bench/pairs"
	"worstcase/loadgen"
)

func main() {
	loadgen.Main()
	b := bench{}
	flag.StringVar(&b.worst, "worst", "worst", "the load, or profile, to compare in part worst")
	b.Main(
		"bench-loadgen", "latency",
		pairs.Part{Name: "sched", Run: b.sched},
		pairs.Part{Name: "fork", Run: b.fork},
		pairs.Part{Name: "exec", Run: b.exec},
		pairs.Part{Name: "memory", Run: b.memory},
		pairs.Part{Name: "cpu", Run: b.quotas},
		pairs.Part{Name: "limit", Run: b.limit},
		pairs.Part{Name: "control", Run: b.control},
		pairs.Part{Name: "worst", Run: b.worstLoad},
	)
}

// A bench is the settings of all comparisons.
type bench struct {
	pairs.Bench
	worst string
}

func (b *bench) length() time.Duration { return time.Duration(b.Seconds) * time.Second }

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
		time.Sleep(b.length())
	}
	r := running{rates: l.Rates(), switches: (contextSwitches() - before) / time.Since(start).Seconds()}
	return r, errors.Join(err, l.Stop())
}

// config makes a Config of a Spec's text.
func config(text string) (loadgen.Config, error) { return loadgen.Resolve(strings.Split(text, ",")...) }
