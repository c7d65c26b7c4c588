package latencycmd

import (
	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/cmd/internal/threads"
	"worstcase/cmd/internal/traced"
	"worstcase/latency"
	"worstcase/loadgen"
)

// options is the command line, parsed.
type options struct {
	measure      cli.Measure
	threads      threads.Flags
	traced       traced.Flags
	config       latency.Config
	load         loadflag.Flags
	loads        []loadgen.Config
	mode         int
	stopOnSwitch bool
	freeze       bool
	diagnostics  bool
	help         bool
}

// parse turns arguments into options; every error is a usage error.
func parse(args []string) (*options, *pflag.FlagSet, error) {
	o := &options{}
	fs := cli.Flags("latency")
	o.threads.RegisterPeriod(fs)
	o.measure.Register(fs)
	fs.IntVarP(&o.mode, "mode", "t", 0, "0: user-mode task, 1: in-kernel task, 2: in-kernel timer handler")
	o.threads.Register(fs)
	o.traced.Register(fs)
	fs.BoolVarP(&o.stopOnSwitch, "stop-on-switch", "b", false, "stop at the first page fault or involuntary switch of a measuring thread")
	fs.BoolVarP(&o.freeze, "freeze", "f", false, "freeze the kernel's trace at each new maximum; it is kept as FILE.max-1 and so on,\nFILE being the run log, or latency")
	fs.BoolVarP(&o.diagnostics, "diagnostics", "D", false, "accepted as Xenomai's, without effect")
	o.load.Register(fs)
	if err := fs.Parse(args); err != nil {
		return nil, fs, cli.Usage(err)
	}
	if o.help, _ = fs.GetBool("help"); o.help {
		return o, fs, nil
	}
	if fs.NArg() > 0 {
		return nil, fs, cli.Usagef("unexpected argument %q: latency takes options only", fs.Arg(0))
	}
	if err := o.measure.Check(); err != nil {
		return nil, fs, err
	}
	if o.mode < 0 || o.mode > 2 {
		return nil, fs, cli.Usagef("-t %d: 0 (user-mode task), 1 (in-kernel task) or 2 (in-kernel timer handler)", o.mode)
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
