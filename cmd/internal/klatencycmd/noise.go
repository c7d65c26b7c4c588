package klatencycmd

import (
	"context"
	"fmt"
	"time"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/host"
	"worstcase/klatency"
	"worstcase/results"
	"worstcase/results/render"
	"worstcase/session"
)

const osnoise = "osnoise"

// A noiseMeter is one of the instruments.
type noiseMeter interface {
	session.Source
	Figures() []klatency.NoiseFigures
	Takers() []klatency.Taker
}

// noise is klatency's subcommand of that name.
func noise(ctx context.Context, env *cli.Env) error {
	var (
		measure   cli.Measure
		load      loadflag.Flags
		cpus      cli.CPUList
		threshold = cli.Duration{Duration: klatency.DefaultThreshold, Unit: time.Microsecond}
	)
	fs := cli.Flags("klatency noise")
	measure.Register(fs)
	measure.Silent = true
	for _, name := range []string{"format", "lines", "quiet", "histogram", "stats", "cells", "cell", "gnuplot", "max-overruns", "max-lost", "break"} {
		fs.MarkHidden(name) // of a table that this command doesn't print
	}
	fs.VarP(&cpus, "cpus", "c", "CPUs to measure (0-3,6); default: the first isolated CPU, else the last one")
	backend := fs.String("backend", "", "instrument: osnoise, the kernel's own tracer, or ebpf; default: osnoise where the\nkernel has it")
	all := fs.BoolP("all", "a", false, "measure all CPUs")
	fs.Var(threshold.Value(), "threshold", "shortest gap that is noise, in us or with a unit")
	load.Register(fs)
	if err := fs.Parse(env.Args[1:]); err != nil {
		return cli.Usage(err)
	}
	if help, _ := fs.GetBool("help"); help {
		fmt.Fprint(env.Stdout, noiseHelp, fs.FlagUsages())
		return nil
	}
	if fs.NArg() > 0 {
		return cli.Usagef("unexpected argument %q: klatency noise takes options only", fs.Arg(0))
	}
	if err := measure.Check(); err != nil {
		return err
	}
	if threshold.Duration <= 0 {
		return cli.Usagef("--threshold %s: a time above 0", threshold.Duration)
	}
	if *backend != "" && *backend != osnoise && *backend != ebpf {
		return cli.Usagef("--backend %s: %s or %s", *backend, osnoise, ebpf)
	}
	loads, err := load.Loads()
	if err != nil {
		return err
	}
	measured, err := choose(cpus, *all)
	if err != nil {
		return err
	}
	recording, err := measure.Open(env)
	if err != nil {
		return err
	}
	config := klatency.NoiseConfig{CPUs: measured, Threshold: threshold.Duration}
	if *backend == "" && klatency.HasOsnoise() {
		*backend = osnoise
	}
	return recording.Close(loadflag.Each(ctx, loads, env.Warn, func(loads []session.Load) error {
		record := map[string]any{
			results.ConfigMode: "noise", results.ConfigBackend: "eBPF", results.ConfigPolicy: "SCHED_OTHER",
			"cpus": host.FormatCPUList(measured), "threshold_ns": int64(threshold.Duration),
		}
		src := noiseMeter(klatency.NewNoise(config, env.Warn))
		if *backend == osnoise {
			record[results.ConfigBackend] = osnoise
			src = klatency.NewOsnoise(config, env.Warn)
		}
		cfg := session.Config{Header: results.Header{Tool: "klatency", Config: loadflag.Record(record, loads)}, Loads: loads}
		if err := recording.Run(ctx, cfg, src); err != nil || !recording.Table() {
			return err
		}
		if err := noiseTable(measured, src.Figures()).Text(env.Stdout); err != nil || len(src.Takers()) == 0 {
			return err
		}
		fmt.Fprintln(env.Stdout)
		return takers(src.Takers()).Text(env.Stdout)
	}))
}

// choose is the CPUs that the flags name.
func choose(cpus cli.CPUList, all bool) ([]int, error) {
	switch {
	case all && len(cpus) > 0:
		return nil, cli.Usagef("-a and -c: all CPUs, or those of a list")
	case all:
		return host.OnlineCPUs()
	case len(cpus) > 0:
		return cpus, cpus.CheckOnline()
	}
	cpu, err := session.DefaultCPU()
	return []int{cpu}, err
}

// noiseTable shows what was lost, and to whom: its time and its number.
func noiseTable(cpus []int, figures []klatency.NoiseFigures) *render.Table {
	t := &render.Table{
		Title: "Noise: what a thread that never sleeps lost of its CPU",
		Columns: []render.Column{
			render.Words("cpu"),
			{Title: "runtime", Unit: "s", Scale: 1e9, Precision: 3},
			render.Latency("noise"),
			{Title: "noise", Unit: "%", Precision: 3},
			render.Latency("longest"),
		},
		Notes: []string{"hardware: gaps in which nothing else ran, so a hypervisor's, the firmware's or the hardware's"},
	}
	for _, source := range []string{"hardware", "NMI", "irq", "softirq", "thread"} {
		t.Columns = append(t.Columns, render.Latency(source), render.Count("n"))
	}
	for i, f := range figures {
		percent := 0.0
		if f.Runtime > 0 {
			percent = 100 * float64(f.Total) / float64(f.Runtime)
		}
		row := []render.Cell{
			render.Text(fmt.Sprint(cpus[i])), render.Number(float64(f.Runtime)), render.Number(float64(f.Total)),
			render.Number(percent), render.Number(float64(f.MaxGap)),
		}
		for _, s := range []klatency.NoiseSource{f.Hardware, f.NMI, f.IRQ, f.Softirq, f.Thread} {
			row = append(row, render.Number(float64(s.NS)), render.Number(float64(s.Count)))
		}
		t.Add(row...)
	}
	return t
}

// takers shows the threads that took most.
func takers(all []klatency.Taker) *render.Table {
	t := &render.Table{
		Title:   "Threads that took most",
		Columns: []render.Column{render.Words("thread"), render.Count("pid"), render.Latency("took"), render.Count("n")},
	}
	for _, k := range all[:min(10, len(all))] {
		t.Add(render.Text(k.Name), render.Number(float64(k.PID)), render.Number(float64(k.NS)), render.Number(float64(k.Count)))
	}
	return t
}

const noiseHelp = `klatency noise measures what a thread that never sleeps loses of its CPU.

A thread of SCHED_OTHER polls the clock on each measured CPU. A gap between two
readings is noise; the kernel's osnoise tracer where there is one, else eBPF
programs count the interrupts, softirqs and threads that ran instead. What none
of them explains was the hardware's or a hypervisor's.

usage: klatency noise [options]

`
