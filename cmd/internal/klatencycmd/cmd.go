// Package klatencycmd is the klatency command: its flags, and their wiring to
// the measurement.
package klatencycmd

import (
	"context"
	"fmt"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/klatency"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/session"
)

// Run is the command. The error stands for the exit status.
func Run(ctx context.Context, env *cli.Env) error {
	if len(env.Args) > 0 && env.Args[0] == "noise" {
		return noise(ctx, env)
	}
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
		return o.run(ctx, env, recording, cfg)
	}))
}

func (o *options) run(ctx context.Context, env *cli.Env, recording *cli.Recording, cfg session.Config) error {
	var src session.Source
	var traced *klatency.Source
	if o.backend == timerlat {
		src, traced = o.timerlat(cfg.Header.Config, env.Warn)
	} else {
		traced = o.traced.Source(o.mode, o.config, cfg.Header.Config, env.Warn)
		src = traced
	}
	if err := recording.Run(ctx, cfg, src); err != nil || traced == nil {
		return err
	}
	return o.traced.Print(recording, env.Stdout, traced)
}

// timerlat is the kernel's tracer as a source, and, where its wake-ups shall be
// taken apart, what does that.
func (o *options) timerlat(record map[string]any, warn func(string)) (session.Source, *klatency.Source) {
	c := klatency.TimerlatConfig{
		Mode: results.ModeKernel, Period: o.config.Period, CPUs: o.config.CPUs, Priority: o.config.Priority,
		KeepIdle: o.config.KeepIdle, DMALatency: o.config.DMALatency,
	}
	if o.mode == 2 {
		c.Mode = results.ModeHandler
	}
	record[results.ConfigMode], record[results.ConfigBackend] = c.Mode, timerlat
	delete(record, results.ConfigTimer)
	tracer := klatency.NewTimerlat(c, warn)
	if !o.traced.Stages && o.traced.Spikes == 0 {
		return tracer, nil
	}
	src := klatency.NewSource(tracer, klatency.Config{Mode: results.ModeUser, Period: c.Period, Stages: o.traced.Stages, Spikes: o.traced.Spikes})
	return src, src
}
