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
)

// options is the command line, parsed.
type options struct {
	measure cli.Measure
	threads threads.Flags
	traced  traced.Flags
	config  latency.Config
	load    loadflag.Flags
	loads   []loadgen.Config
	mode    int
	help    bool
}

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
	return o, fs, o.traced.Check(o.mode, &o.config)
}
