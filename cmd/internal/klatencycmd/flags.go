package klatencycmd

import (
	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/cmd/internal/threads"
	"worstcase/cmd/internal/traced"
	"worstcase/latency"
	"worstcase/loadgen"
	"worstcase/results/format"
	"worstcase/rtsched"
)

// options is the command line, parsed.
type options struct {
	measure cli.Measure
	threads threads.Flags
	traced  traced.Flags
	config  latency.Config
	load    loadflag.Flags
	loads   []loadgen.Config
	backend string
	mode    int
	help    bool
}

// The back-ends.
const (
	ebpf     = "ebpf"
	timerlat = "timerlat"
)

// parse turns arguments into options; every error is a usage error.
func parse(args []string) (*options, *pflag.FlagSet, error) {
	o := &options{}
	fs := cli.Flags("klatency")
	o.threads.RegisterPeriod(fs)
	o.measure.Register(fs)
	form := fs.Lookup("format")
	form.DefValue = format.Default("klatency")
	o.measure.Form = form.DefValue
	fs.IntVarP(&o.mode, "mode", "t", 1, "1: until the thread is switched in, 2: until its timer's handler is called")
	fs.StringVar(&o.backend, "backend", ebpf, "instrument: ebpf, on any kernel since 5.8; or timerlat, the kernel's own tracer,\nwhere it is configured")
	o.threads.Register(fs)
	o.traced.Register(fs)
	o.load.Register(fs)
	if err := fs.Parse(args); err != nil {
		return nil, fs, cli.Usage(err)
	}
	if o.help, _ = fs.GetBool("help"); o.help {
		return o, fs, nil
	}
	if fs.NArg() > 0 {
		return nil, fs, cli.Usagef("unexpected argument %q: klatency takes options only", fs.Arg(0))
	}
	if err := o.measure.Check(); err != nil {
		return nil, fs, err
	}
	if o.mode != 1 && o.mode != 2 {
		return nil, fs, cli.Usagef("-t %d: 1 (until the thread is switched in) or 2 (until its timer's handler is called)", o.mode)
	}
	var err error
	if o.loads, err = o.load.Loads(); err != nil {
		return nil, fs, err
	}
	if o.config, err = o.threads.Config(o.measure.Break.Duration); err != nil {
		return nil, fs, err
	}
	if err := o.checkBackend(); err != nil {
		return nil, fs, err
	}
	return o, fs, o.traced.Check(o.mode, &o.config)
}

func (o *options) checkBackend() error {
	switch {
	case o.backend != ebpf && o.backend != timerlat:
		return cli.Usagef("--backend %s: %s or %s", o.backend, ebpf, timerlat)
	case o.backend == timerlat && o.config.Policy != rtsched.FIFO:
		return cli.Usagef("--policy %s: the threads of timerlat are SCHED_FIFO", o.config.Policy)
	case o.backend == timerlat && o.config.Timer != rtsched.Nanosleep:
		return cli.Usagef("--timer %s: timerlat has a timer of its own", o.config.Timer)
	case o.backend == timerlat && o.config.Break > 0:
		return cli.Usagef("--break: timerlat can't stop at a sample")
	}
	return nil
}
