// Package switchbenchcmd is the switchbench command: its flags, and their wiring
// to the measurement and the tables.
package switchbenchcmd

import (
	"cmp"
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
	single := len(cells) == 1 && len(o.loads) <= 1
	o.measure.Silent = !single
	recording, err := o.measure.Open(env)
	if err != nil {
		return err
	}
	set := &set{table: newTable(cells, len(o.loads) > 0)}
	err = loadflag.Each(ctx, o.loads, env.Warn, func(loads []session.Load) error {
		if single {
			return recording.Run(ctx, o.session(cells[0], loads), switchbench.NewSource(cells[0], env.Warn))
		}
		o.measureSet(ctx, env, recording, cells, loads, set)
		return nil
	})
	if err == nil && !single {
		err = o.finish(env, recording, set)
	}
	return recording.Close(err)
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

// A set is what became of the cells, under each load, so far.
type set struct {
	table    *cellTable
	measured int
	first    error // of those that could not be measured
}

// measureSet measures the cells one after the other, and adds a row for each. A
// cell that can't be measured has a row that says why.
func (o *options) measureSet(ctx context.Context, env *cli.Env, recording *cli.Recording, cells []switchbench.Config, loads []session.Load, s *set) {
	under := loadName(loads)
	warn := once(env.Warn)
	for i, c := range cells {
		if ctx.Err() != nil {
			return
		}
		text := fmt.Sprintf("%d/%d %s", i+1, len(cells), title(c))
		if under != "" {
			text += ", under load " + under
		}
		fmt.Fprintln(env.Stderr, text)
		had := len(recording.Runs())
		err := recording.Run(ctx, o.session(c, loads), switchbench.NewSource(c, warn))
		if runs := recording.Runs(); err == nil && len(runs) > had {
			s.measured++
			s.table.add(c, under, runs[had])
			continue
		}
		if err != nil {
			s.table.refused(c, under, err)
			s.first = cmp.Or(s.first, err)
		}
	}
}

func loadName(loads []session.Load) string {
	if len(loads) == 0 {
		return ""
	}
	return loads[0].Name()
}

// finish prints the table. Only when no cell could be measured, the command
// fails.
func (o *options) finish(env *cli.Env, recording *cli.Recording, s *set) error {
	switch {
	case s.measured == 0 && s.first != nil:
		return s.first
	case !recording.Table():
		return nil
	case o.markdown:
		return s.table.Markdown(env.Stdout)
	}
	return s.table.Text(env.Stdout)
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
