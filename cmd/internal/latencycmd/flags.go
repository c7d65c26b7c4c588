package latencycmd

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/host"
	"worstcase/latency"
	"worstcase/loadgen"
	"worstcase/rtsched"
)

// options is the command line, parsed.
type options struct {
	measure      cli.Measure
	config       latency.Config
	load         loadflag.Flags
	loads        []loadgen.Config
	mode         int
	stopOnSwitch bool
	freeze       bool
	diagnostics  bool
	help         bool
}

// A flagValues holds the flags that need more than a look to become options.
type flagValues struct {
	period          cli.Duration
	cpus            cli.CPUList
	all             bool
	policy          string
	timer           string
	dmaLatency      string
	priority        int
	priorityChanged bool
}

// parse turns arguments into options; every error is a usage error.
func parse(args []string) (*options, *pflag.FlagSet, error) {
	o := &options{}
	v := flagValues{period: cli.Duration{Duration: latency.DefaultPeriod, Unit: time.Microsecond}}
	fs := cli.Flags("latency")
	fs.VarP(v.period.Value(), "period", "p", "sampling period in us, or with a unit (100, 100us, 1ms); at most 1 s")
	o.measure.Register(fs)
	fs.IntVarP(&o.mode, "mode", "t", 0, "0: user-mode task, 1: in-kernel task, 2: in-kernel timer handler")
	fs.VarP(&v.cpus, "cpus", "c", "CPUs to measure, one series each (0-3,6); default: the first isolated CPU,\nelse the last one")
	fs.BoolVarP(&v.all, "all", "a", false, "measure all CPUs")
	fs.StringVar(&o.config.Align, "align", latency.AlignSpread, "dates of several CPUs: spread over the period, or the same")
	fs.IntVarP(&v.priority, "priority", "P", latency.DefaultPriority, "real-time priority, 1 to 99")
	fs.StringVar(&v.policy, "policy", string(rtsched.FIFO), "fifo, rr, deadline or other (not real-time, marked in every table)")
	fs.StringVar(&v.timer, "timer", string(rtsched.Nanosleep), "how to wait: nanosleep, timerfd, posix or busy")
	fs.BoolVar(&o.config.AllowThrottle, "allow-throttle", false, "let busy polling take more than 90 % of each second")
	fs.StringVar(&v.dmaLatency, "dma-latency", "0", "hold /dev/cpu_dma_latency at so many `us`, or keep it as it is")
	fs.BoolVarP(&o.stopOnSwitch, "stop-on-switch", "b", false, "stop at the first page fault or involuntary switch of a measuring thread")
	fs.BoolVarP(&o.freeze, "freeze", "f", false, "freeze the kernel's trace at each new maximum")
	fs.BoolVarP(&o.diagnostics, "diagnostics", "D", false, "accepted as Xenomai's, without effect")
	o.load.Register(fs)
	if err := fs.Parse(args); err != nil {
		return nil, fs, cli.Usage(err)
	}
	if o.help, _ = fs.GetBool("help"); o.help {
		return o, fs, nil
	}
	v.priorityChanged = fs.Changed("priority")
	if fs.NArg() > 0 {
		return nil, fs, cli.Usagef("unexpected argument %q: latency takes options only", fs.Arg(0))
	}
	if err := o.measure.Check(); err != nil {
		return nil, fs, err
	}
	var err error
	if o.loads, err = o.load.Loads(); err != nil {
		return nil, fs, err
	}
	return o, fs, o.take(v)
}

// take checks the flags' values and puts them into the Config.
func (o *options) take(v flagValues) error {
	c := &o.config
	var err error
	c.Period = v.period.Duration
	c.Break = o.measure.Break.Duration
	if c.Period < time.Microsecond || c.Period > latency.MaxPeriod {
		return cli.Usagef("-p %s: a period from 1 us to 1 s", c.Period)
	}
	if c.Align != latency.AlignSpread && c.Align != latency.AlignSame {
		return cli.Usagef("--align %s: spread or same", c.Align)
	}
	if o.mode < 0 || o.mode > 2 {
		return cli.Usagef("-t %d: 0 (user-mode task), 1 (in-kernel task) or 2 (in-kernel timer handler)", o.mode)
	}
	if c.Policy, err = rtsched.ParsePolicy(v.policy); err != nil {
		return cli.Usage(err)
	}
	if c.Timer, err = rtsched.ParseTimer(v.timer); err != nil {
		return cli.Usage(err)
	}
	if v.priorityChanged && !c.Policy.Fixed() {
		return cli.Usagef("-P and --policy %s: only fifo and rr have priorities", v.policy)
	}
	if v.priority < 1 || v.priority > 99 {
		return cli.Usagef("-P %d: a priority from 1 to 99", v.priority)
	}
	if c.Policy.Fixed() {
		c.Priority = v.priority
	}
	if err := o.takeDMALatency(v.dmaLatency); err != nil {
		return err
	}
	return o.takeCPUs(v)
}

func (o *options) takeDMALatency(text string) error {
	if text == "keep" {
		o.config.KeepIdle = true
		return nil
	}
	var us int64
	if n, err := fmt.Sscanf(text+"\n", "%d\n", &us); n != 1 || err != nil || us < 0 {
		return cli.Usagef("--dma-latency %s: a number of us, or keep", text)
	}
	o.config.DMALatency = time.Duration(us) * time.Microsecond
	return nil
}

func (o *options) takeCPUs(v flagValues) error {
	if v.all && len(v.cpus) > 0 {
		return cli.Usagef("-a and -c: all CPUs, or those of a list")
	}
	if v.all {
		online, err := host.OnlineCPUs()
		if err != nil {
			return err
		}
		v.cpus = online
	}
	if err := v.cpus.CheckOnline(); err != nil {
		return err
	}
	o.config.CPUs = slices.Clone(v.cpus)
	config, err := o.config.WithDefaults()
	if err != nil {
		return cli.Usage(err)
	}
	o.config = config
	return nil
}
