// Package switchbenchcmd is the switchbench command: its flags, and their wiring
// to the measurement and the tables.
package switchbenchcmd

import (
	"context"
	"fmt"
	"time"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/session"
	"worstcase/switchbench"
)

// Run is the command. The error stands for the exit status.
func Run(ctx context.Context, env *cli.Env) error {
	o, fs, err := parse(env.Args)
	if err != nil {
		return err
	}
	if o.help {
		fmt.Fprint(env.Stdout, help, cli.Usages(fs), examples)
		return nil
	}
	if o.config.Policy == rtsched.Other {
		o.config.Unlocked = !rtsched.MayLockMemory()
	}
	cells, err := o.cells()
	if err != nil {
		return err
	}
	o.measure.Silent = len(cells) > 1
	recording, err := o.measure.Open(env)
	if err != nil {
		return err
	}
	return recording.Close(loadflag.Each(ctx, o.loads, env.Warn, func(loads []session.Load) error {
		if len(cells) == 1 {
			return recording.Run(ctx, o.session(cells[0], loads), switchbench.NewSource(cells[0], env.Warn))
		}
		return o.runSet(ctx, env, recording, cells, loads)
	}))
}

// cells are the runs to make: each ring is preceded by a thread alone, where a
// mechanism lets it be, which tells what a hop costs without a switch.
func (o *options) cells() ([]switchbench.Config, error) {
	var cells []switchbench.Config
	add := func(c switchbench.Config) error {
		c, err := c.WithDefaults()
		if err != nil {
			return cli.Usage(err)
		}
		cells = append(cells, c)
		return nil
	}
	for _, m := range o.mechanisms {
		for _, processes := range o.spaces {
			c := o.config
			c.Mechanism, c.Processes = m, processes
			if m == switchbench.Deadline && len(o.mechanisms) > 1 && c.Measure != "" {
				continue // it has hand-overs only
			}
			if c.Measure != switchbench.Ring {
				if err := add(c); err != nil {
					return nil, err
				}
				continue
			}
			for _, set := range o.sets {
				c.WorkingSet = set
				for _, n := range append(alone(m), o.threads...) {
					c.Threads = n
					if err := add(c); err != nil {
						return nil, err
					}
				}
			}
		}
	}
	return cells, nil
}

// alone is the ring of one thread, where there can be one.
func alone(m switchbench.Mechanism) []int {
	if m == switchbench.PIFutex || m == switchbench.Yield {
		return nil
	}
	return []int{1}
}

// session is the run of a cell. The samples to ignore lengthen the warm-up.
func (o *options) session(c switchbench.Config, loads []session.Load) session.Config {
	config := c.Record()
	warmUp := session.DefaultWarmUp
	if c.SamplePeriod() > 0 {
		config["ignored_samples"] = o.ignore
		warmUp += time.Duration(o.ignore) * c.Period
	}
	return session.Config{
		Header: results.Header{Tool: "switchbench", Config: loadflag.Record(config, loads)},
		Period: c.SamplePeriod(), WarmUp: warmUp, Loads: loads,
	}
}

// runSet measures the cells one after the other, and prints a row for each. A
// cell that can't be measured has a row that says why; only when none can, the
// command fails.
func (o *options) runSet(ctx context.Context, env *cli.Env, recording *cli.Recording, cells []switchbench.Config, loads []session.Load) error {
	t := newTable(cells)
	warn := once(env.Warn)
	var first error
	measured := 0
	for i, c := range cells {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(env.Stderr, "%d/%d %s\n", i+1, len(cells), title(c))
		had := len(recording.Runs())
		err := recording.Run(ctx, o.session(c, loads), switchbench.NewSource(c, warn))
		if runs := recording.Runs(); err == nil && len(runs) > had {
			measured++
			t.add(c, runs[had])
			continue
		}
		if err != nil {
			t.refused(c, err)
			if first == nil {
				first = err
			}
		}
	}
	if measured == 0 && first != nil {
		return first
	}
	if !recording.Table() {
		return nil
	}
	if o.markdown {
		return t.Markdown(env.Stdout)
	}
	return t.Text(env.Stdout)
}

// once passes each text on only the first time that it comes.
func once(warn func(string)) func(string) {
	told := map[string]bool{}
	return func(text string) {
		if !told[text] {
			told[text] = true
			warn(text)
		}
	}
}
