// Package latencycmd is the latency command: its flags, and their wiring to the
// measurement.
package latencycmd

import (
	"context"
	"fmt"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/klatency"
	"worstcase/latency"
	"worstcase/results"
	"worstcase/results/render"
	"worstcase/rtsched"
	"worstcase/session"
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
	if o.diagnostics {
		env.Warn("-D has no effect: it belongs to Xenomai's own kernel")
	}
	return measure(ctx, env, o)
}

func measure(ctx context.Context, env *cli.Env, o *options) error {
	recording, err := o.measure.Open(env)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch := &switchWatch{stop: cancel}
	if o.config.Policy == rtsched.Other {
		o.config.Unlocked = !rtsched.MayLockMemory()
	}
	err = loadflag.Each(ctx, o.loads, env.Warn, func(loads []session.Load) error {
		cfg := session.Config{
			Header: results.Header{Tool: "latency", Config: loadflag.Record(o.config.Record(), loads)},
			Period: o.config.Period, Loads: loads,
		}
		if o.stopOnSwitch {
			cfg.Sinks = append(cfg.Sinks, watch)
		}
		return o.run(ctx, env, recording, cfg)
	})
	if runs := recording.Runs(); err == nil && len(runs) > 1 && recording.Table() {
		fmt.Fprintln(env.Stdout)
		err = render.UnderLoads(runs).Text(env.Stdout)
	}
	err = recording.Close(err)
	if err == nil && watch.switched {
		return cli.No("stopped at a page fault or an involuntary switch of the measuring thread")
	}
	return err
}

// run measures, with the wake-ups traced and the trace frozen where that is
// asked for.
func (o *options) run(ctx context.Context, env *cli.Env, recording *cli.Recording, cfg session.Config) error {
	config := o.config
	freeze := func(src session.Source) session.Source { return src }
	if o.freeze {
		f, err := klatency.OpenFreezer(o.prefix(), env.Warn)
		if err != nil {
			return err
		}
		defer f.Close()
		config.Freeze = f.Files()
		freeze = func(src session.Source) session.Source { return klatency.Freezing{Source: src, Freezer: f} }
	}
	if !o.traced.Wanted(o.mode) {
		return recording.Run(ctx, cfg, freeze(latency.NewSource(config, env.Warn)))
	}
	src := o.traced.Source(o.mode, config, cfg.Header.Config, env.Warn)
	if err := recording.Run(ctx, cfg, freeze(src)); err != nil {
		return err
	}
	return o.traced.Print(recording, env.Stdout, src)
}

// prefix is how the names of frozen traces begin.
func (o *options) prefix() string {
	if o.measure.Output != "" && o.measure.Output != "-" {
		return o.measure.Output
	}
	return "latency"
}

// A switchWatch ends the run at the first page fault or involuntary switch.
type switchWatch struct {
	stop     context.CancelFunc
	switched bool
}

// Put looks at the interval's switches.
func (w *switchWatch) Put(rec results.Record) error {
	if iv, ok := rec.(*results.Interval); ok && iv.Switches > 0 {
		w.switched = true
		w.stop()
	}
	return nil
}
