package klatencycmd

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

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
	modes   modes
	stack   cli.Duration
	help    bool
}

// modes are what -t names, in the order of a wake-up: 2, 1, 0.
type modes []int

// String is the list with commas.
func (m *modes) String() string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(*m), " ", ","), "[]")
}

// Set parses such a list.
func (m *modes) Set(s string) error {
	var list modes
	for word := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return errors.New("0, 1 or 2, or several of these with commas between")
		}
		list = append(list, n)
	}
	slices.Sort(list)
	slices.Reverse(list)
	*m = slices.Compact(list)
	return nil
}

// Type names the value in the help.
func (m *modes) Type() string { return "list" }

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
	o.modes = modes{1}
	fs.VarP(&o.modes, "mode", "t", "`what` to measure: 1: until the thread is switched in, 2: until its timer's handler\nis called; of timerlat several at once, as 2,1, and 0: until the thread is back\nfrom user space")
	fs.StringVar(&o.backend, "backend", ebpf, "instrument: ebpf, on any kernel since 5.8; or timerlat, the kernel's own tracer,\nwhere it is configured")
	o.stack.Unit = time.Microsecond
	fs.Var(o.stack.Value(), "stack", "of timerlat: print what the timer's interrupt met where the thread was that late or\nlater, in us or with a unit; taking it delays every wake-up by some us")
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
	if err := o.checkModes(); err != nil {
		return nil, fs, err
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
	return o, fs, o.traced.Check(o.modes[0], &o.config)
}

func (o *options) checkModes() error {
	for _, t := range o.modes {
		switch {
		case t == 0 && o.backend == timerlat:
		case t != 1 && t != 2:
			return cli.Usagef("-t %d: 1 (until the thread is switched in) or 2 (until its timer's handler is called); of --backend timerlat also 0 (until the thread is back from user space)", t)
		}
	}
	switch {
	case len(o.modes) > 1 && o.backend != timerlat:
		return cli.Usagef("-t %s: --backend %s measures one at a time", &o.modes, o.backend)
	case (len(o.modes) > 1 || o.modes[0] == 0) && o.traced.Wanted(0):
		return cli.Usagef("-t %s: --stages and --spikes take apart what -t 1 or -t 2 measures", &o.modes)
	}
	return o.checkStack()
}

func (o *options) checkStack() error {
	switch {
	case !o.stack.Set:
	case o.backend != timerlat:
		return cli.Usagef("--stack: only --backend timerlat has stacks")
	case o.stack.Duration <= 0:
		return cli.Usagef("--stack %s: a time above 0", o.stack.Duration)
	case !slices.Contains(o.modes, 1):
		return cli.Usagef("--stack: it is about the thread's latency, which is -t 1")
	case slices.Contains(o.modes, 0) && o.measure.Break.Duration == 0:
		return cli.Usagef("--stack: with -t 0 the kernel prints a stack only where it stops, at --break")
	}
	return nil
}

func (o *options) checkBackend() error {
	switch {
	case o.backend != ebpf && o.backend != timerlat:
		return cli.Usagef("--backend %s: %s or %s", o.backend, ebpf, timerlat)
	case o.backend == timerlat && o.config.Policy != rtsched.FIFO:
		return cli.Usagef("--policy %s: the threads of timerlat are SCHED_FIFO", o.config.Policy)
	case o.backend == timerlat && o.config.Timer != rtsched.Nanosleep:
		return cli.Usagef("--timer %s: timerlat has a timer of its own", o.config.Timer)
	}
	return nil
}
