// Package klatencycmd is the klatency command: its flags, and their wiring to
// the measurement.
package klatencycmd

import (
	"context"
	"fmt"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/results"
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
	recording, err := o.measure.Open(env)
	if err != nil {
		return err
	}
	if o.config.Policy == rtsched.Other {
		o.config.Unlocked = !rtsched.MayLockMemory()
	}
	return recording.Close(loadflag.Each(ctx, o.loads, env.Warn, func(loads []session.Load) error {
		cfg := session.Config{
			Header: results.Header{Tool: "klatency", Config: loadflag.Record(o.config.Record(), loads)},
			Period: o.config.Period, Loads: loads,
		}
		src := o.traced.Source(o.mode, o.config, cfg.Header.Config, env.Warn)
		if err := recording.Run(ctx, cfg, src); err != nil {
			return err
		}
		return o.traced.Print(recording, env.Stdout, src)
	}))
}
