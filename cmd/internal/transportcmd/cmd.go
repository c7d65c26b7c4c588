// Package transportcmd is the transport command: its flags, and their wiring
// to the measurement and the tables.
package transportcmd

import (
	"context"
	"errors"
	"fmt"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/internal/remedy"
	"worstcase/loadgen"
	"worstcase/rtsched"
	"worstcase/transport"
)

// Run is the command. The error stands for the exit status.
func Run(ctx context.Context, env *cli.Env) error {
	o, fs, err := parse(env.Args)
	switch {
	case err != nil:
		return err
	case o.help:
		fmt.Fprint(env.Stdout, help, cli.Usages(fs), examples)
		return nil
	case o.list:
		return list(env)
	}
	for _, name := range o.presets {
		if presets()[name] == nil {
			return cli.Usagef("unknown preset %q (apollo, sizes, rates)", name)
		}
	}
	if many := o.names == "all" || len(o.presets) > 0; many && !o.measure.Duration.Set {
		o.setDuration(env)
	}
	if o.config.Policy == rtsched.Other {
		o.config.Unlocked = !rtsched.MayLockMemory()
	}
	cells, err := o.cells(env)
	if err != nil {
		return err
	}
	if len(cells) == 0 {
		return remedy.Unavailable(errors.New("none of these transports can be used here"), "transport --list says what is missing")
	}
	return o.run(ctx, env, cells)
}

// setDuration gives the cells of a set a length.
func (o *options) setDuration(env *cli.Env) {
	o.measure.Duration.Duration, o.measure.Duration.Set = setDuration, true
	env.Warn(fmt.Sprintf("each cell takes %s; -T changes that", setDuration))
}

// run makes one run for each cell.
func (o *options) run(ctx context.Context, env *cli.Env, cells []cell) error {
	set := len(cells)*max(len(o.loads), 1) > 1 || o.config.RoundTrip
	if set && !o.measure.Duration.Set {
		o.setDuration(env)
		for i := range cells {
			cells[i].Duration = setDuration
		}
	}
	o.measure.Silent, o.measure.What = set, transport.Service
	recording, err := o.measure.Open(env)
	if err != nil {
		return err
	}
	var jobs []job
	for _, c := range cells {
		for _, load := range o.eachLoad() {
			jobs = append(jobs, job{c, load})
		}
	}
	if !set {
		err := jobs[0].run(ctx, recording, env.Warn)
		for _, r := range recording.Runs() {
			if r.Saturated() {
				env.Warn(fmt.Sprintf("SAT: %.0f of %s messages a second were reached: these are no latencies of that rate",
					r.End.After["rate_hz"], transport.RateName(jobs[0].Rate)))
			}
		}
		return recording.Close(err)
	}
	return recording.Close(o.runSet(ctx, env, recording, jobs))
}

// A job is a cell under a load, or under none.
type job struct {
	cell
	load *loadgen.Config
}

func (o *options) eachLoad() []*loadgen.Config {
	if len(o.loads) == 0 {
		return []*loadgen.Config{nil}
	}
	var list []*loadgen.Config
	for i := range o.loads {
		list = append(list, &o.loads[i])
	}
	return list
}

// run makes one run.
func (j *job) run(ctx context.Context, recording *cli.Recording, warn func(string)) error {
	run := j.Session()
	if j.scenario != "" {
		run.Header.Config["scenario"] = j.scenario
	}
	if j.load != nil {
		run.Loads = append(run.Loads, loadflag.New(*j.load, warn))
	}
	run.Header.Config = loadflag.Record(run.Header.Config, run.Loads)
	return recording.Run(ctx, run, transport.NewSource(j.Config, warn))
}

// runSet does the jobs one after the other, and prints a row for each. A cell
// that can't be measured has a row that says why; only when none can, the
// command fails.
func (o *options) runSet(ctx context.Context, env *cli.Env, recording *cli.Recording, jobs []job) error {
	t := newTable(&o.config)
	warn := once(env.Warn)
	var first error
	measured := 0
	for i, j := range jobs {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(env.Stderr, "%d/%d %s\n", i+1, len(jobs), title(j.cell))
		had := len(recording.Runs())
		err := j.run(ctx, recording, warn)
		if runs := recording.Runs(); len(runs) > had {
			measured++
			t.add(j.cell, runs[had])
			continue
		}
		if err != nil {
			if errors.Is(err, context.Canceled) {
				err = errors.New("interrupted")
			}
			t.refused(j.cell, err)
			if first == nil {
				first = err
			}
		}
	}
	switch {
	case measured == 0 && first != nil:
		return first
	case o.measure.JSON || o.measure.Output == "-":
		return nil
	case o.markdown:
		return t.table.Markdown(env.Stdout)
	}
	return t.table.Text(env.Stdout)
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
