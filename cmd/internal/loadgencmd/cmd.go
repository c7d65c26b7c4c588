// Package loadgencmd is the loadgen command: its flags, and what it prints of a
// running load.
package loadgencmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/loadgen"
)

// Run is the command. The error stands for the exit status.
func Run(ctx context.Context, env *cli.Env) error {
	o, fs, err := parse(env.Args)
	if err != nil {
		return err
	}
	switch {
	case o.help:
		fmt.Fprint(env.Stdout, help, cli.Usages(fs), examples)
		return nil
	case o.list:
		return list(env.Stdout)
	case o.search:
		return search(ctx, env, o)
	}
	return run(ctx, env, o)
}

// options is the command line, parsed.
type options struct {
	limits      loadflag.Limits
	config      loadgen.Config
	duration    time.Duration
	quiet       bool
	list        bool
	search      bool
	rounds      int
	saveProfile string
	help        bool
}

// run runs the load for its time and prints its rates once a second, and those
// of the whole run at the end.
func run(ctx context.Context, env *cli.Env, o *options) (err error) {
	l := loadgen.New(o.config)
	if err := l.Start(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // Ctrl-C before the load ran
		}
		return err
	}
	defer func() { err = errors.Join(err, l.Stop()) }()
	for _, note := range l.Notes() {
		env.Warn(note)
	}
	fmt.Fprintf(env.Stdout, "# load %s\n", l.Name())
	sum := &summary{start: time.Now(), rates: map[string]loadgen.Rate{}}
	var end <-chan time.Time
	if o.duration > 0 {
		end = time.After(o.duration)
	}
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for ended := false; !ended; {
		select {
		case <-ctx.Done():
			ended = true
		case <-end:
			ended = true
		case <-second.C:
		}
		rates := l.Rates()
		sum.add(rates)
		if !o.quiet && !ended {
			if err := printRates(env.Stdout, fmt.Sprintf("%5d s", time.Since(sum.start)/time.Second), rates); err != nil {
				return err
			}
		}
		if l.Err() != nil {
			return nil // Stop returns it
		}
	}
	return printRates(env.Stdout, "  mean ", sum.mean())
}

// A summary adds up rates over time.
type summary struct {
	start, last time.Time
	rates       map[string]loadgen.Rate // counts, since the start
}

func (s *summary) add(rates map[string]loadgen.Rate) {
	now := time.Now()
	if s.last.IsZero() {
		s.last = s.start
	}
	for kind, r := range rates {
		sum := s.rates[kind]
		s.rates[kind] = loadgen.Rate{Rate: sum.Rate + r.Rate*now.Sub(s.last).Seconds(), Unit: r.Unit}
	}
	s.last = now
}

func (s *summary) mean() map[string]loadgen.Rate {
	mean := map[string]loadgen.Rate{}
	for kind, r := range s.rates {
		mean[kind] = loadgen.Rate{Rate: r.Rate / s.last.Sub(s.start).Seconds(), Unit: r.Unit}
	}
	return mean
}

// sorted returns the keys of a map in order.
func sorted(rates map[string]loadgen.Rate) []string {
	var kinds []string
	for kind := range rates {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}
