// Package transportcmd is the transport command: its flags, and their wiring
// to the measurement and the tables.
package transportcmd

import (
	"context"
	"errors"
	"fmt"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/session"
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
	set := len(cells) > 1
	if set && !o.measure.Duration.Set {
		o.setDuration(env)
		for i := range cells {
			cells[i].Duration = setDuration
		}
	}
	o.measure.Silent, o.measure.What = set, transport.Service
	if o.config.Policy == rtsched.Other {
		o.config.Unlocked = !rtsched.MayLockMemory()
	}
	recording, err := o.measure.Open(env)
	if err != nil {
		return err
	}
	if !set {
		return recording.Close(recording.Run(ctx, sessionOf(cells[0]), transport.NewSource(cells[0].Config, env.Warn)))
	}
	return recording.Close(o.runSet(ctx, env, recording, cells))
}

func sessionOf(c cell) session.Config {
	config := c.Record()
	if c.scenario != "" {
		config["scenario"] = c.scenario
	}
	return session.Config{
		Header: results.Header{Tool: "transport", Config: config},
		Period: c.SlotPeriod(),
	}
}

// runSet measures the cells one after the other, and prints a row for each. A
// cell that can't be measured has a row that says why; only when none can, the
// command fails.
func (o *options) runSet(ctx context.Context, env *cli.Env, recording *cli.Recording, cells []cell) error {
	t := newTable(&o.config)
	warn := once(env.Warn)
	var first error
	measured := 0
	for i, c := range cells {
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(env.Stderr, "%d/%d %s\n", i+1, len(cells), title(c))
		had := len(recording.Runs())
		err := recording.Run(ctx, sessionOf(c), transport.NewSource(c.Config, warn))
		if runs := recording.Runs(); len(runs) > had {
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
	if o.measure.JSON || o.measure.Output == "-" {
		return nil
	}
	if o.markdown {
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
