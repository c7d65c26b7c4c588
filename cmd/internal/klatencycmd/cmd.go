// Package klatencycmd is the klatency command: its flags, and their wiring to
// the measurement.
package klatencycmd

import (
	"context"
	"fmt"
	"strings"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/cmd/internal/traced"
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
	if o.backend != timerlat {
		src := o.traced.Source(o.modes[0], o.config, cfg.Header.Config, env.Warn)
		if err := recording.Run(ctx, cfg, src); err != nil {
			return err
		}
		return o.traced.Print(recording, env.Stdout, src)
	}
	return o.timerlat(ctx, env, recording, cfg)
}

// timerlat measures with the kernel's tracer.
func (o *options) timerlat(ctx context.Context, env *cli.Env, recording *cli.Recording, cfg session.Config) error {
	c := klatency.TimerlatConfig{
		Period: o.config.Period, CPUs: o.config.CPUs, Priority: o.config.Priority, KeepIdle: o.config.KeepIdle, DMALatency: o.config.DMALatency,
		Break: o.config.Break, Stack: o.stack.Duration,
	}
	for _, t := range o.modes {
		c.Contexts = append(c.Contexts, [...]string{klatency.ContextUser, klatency.ContextThread, klatency.ContextIRQ}[t])
	}
	record := cfg.Header.Config
	record[results.ConfigMode] = traced.Mode(o.modes[0])
	if len(c.Contexts) > 1 {
		record[results.ConfigMode] = strings.Join(c.Contexts, "+")
	}
	record[results.ConfigBackend] = timerlat
	delete(record, results.ConfigTimer)
	o.traced.Record(record)
	if c.Stack > 0 {
		record["stack_ns"] = int64(c.Stack)
	}
	apart := o.traced.Wanted(0)
	if !apart {
		c.Stacks = traced.WorstStacks
	}
	tracer := klatency.NewTimerlat(c, env.Warn)
	if !apart {
		if err := recording.Run(ctx, cfg, tracer); err != nil {
			return err
		}
		return traced.PrintStacks(recording, env.Stdout, tracer.Series(), tracer.Spikes())
	}
	src := klatency.NewSource(tracer, klatency.Config{Mode: results.ModeUser, Period: c.Period, Stages: o.traced.Stages, Spikes: o.traced.Spikes})
	if err := recording.Run(ctx, cfg, src); err != nil {
		return err
	}
	return o.traced.Print(recording, env.Stdout, src)
}
