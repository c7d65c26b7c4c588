package switchbenchcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/loadgen"
	"worstcase/results/format"
	"worstcase/rtsched"
	"worstcase/switchbench"
)

// options is the command line, parsed.
type options struct {
	measure cli.Measure
	load    loadflag.Flags
	loads   []loadgen.Config
	// config is what all cells share.
	config     switchbench.Config
	mechanisms []switchbench.Mechanism
	// spaces says for each run of a mechanism whether it is between processes.
	spaces   []bool
	threads  []int // of rings; nil for another measure
	sets     []int // working sets in bytes
	ignore   int
	markdown bool
	help     bool
}

// values are flags as given.
type values struct {
	period                                   cli.Duration
	cpus                                     cli.CPUList
	mechanism, waiter, threads, sets, policy string
	dmaLatency, space                        string
	pingPong                                 bool
}

// parse turns arguments into options; every error is a usage error.
func parse(args []string) (*options, *pflag.FlagSet, error) {
	o := &options{}
	v := values{period: cli.Duration{Duration: switchbench.DefaultPeriod, Unit: time.Microsecond}}
	fs := cli.Flags("switchbench")
	fs.VarP(v.period.Value(), "period", "p", "sampling period in us, or with a unit (100, 100us, 1ms); at most 1 s")
	fs.Int64VarP(&o.config.Samples, "samples", "n", 100_000, "end after so many samples; with -T alone there is no such limit")
	fs.IntVarP(&o.ignore, "ignore", "i", 5, "first samples to ignore, beside the second of warm-up")
	fs.StringVar(&v.mechanism, "mechanism", string(switchbench.Futex), "what makes the waiter run, several with commas, or all:\n"+wrapped())
	fs.StringVar(&v.waiter, "waiter", string(switchbench.Below), "priority of the waiter to the waker's: below, above or equal")
	fs.BoolVar(&v.pingPong, "ping-pong", false, "measure round trips without a timer in place of hand-overs")
	fs.StringVar(&v.threads, "threads", "", "measure rings of so many threads: `numbers` such as 2,3,8, or doubled: 2..64")
	fs.StringVar(&v.sets, "working-set", "0", "what each thread of a ring touches: `sizes` such as 0,64K,1M")
	fs.StringVar(&v.space, "space", "", "between `threads` of one process, processes, or both; default: threads, with all both")
	o.measure.Register(fs)
	form := fs.Lookup("format")
	form.DefValue = format.Default("switchbench")
	form.Usage = "form of the table: " + format.Xenomai2 + " (us), " + format.Xenomai20 + " (ns)"
	o.measure.Form = form.DefValue
	o.measure.Ends = true // after -n samples
	fs.Lookup("duration").Usage = "measured time in seconds or with a unit (60, 5m, 1h), after one second of\nwarm-up; without it, or 0, -n ends the run"
	fs.Lookup("quiet").Usage = "print no status line on a terminal"
	fs.VarP(&v.cpus, "cpus", "c", "CPUs of waker and waiter, or of a ring's threads in turn (0,1); default: the same\nfor all, the first isolated CPU, else the last one")
	fs.IntVarP(&o.config.Priority, "priority", "P", switchbench.DefaultPriority, "real-time priority of the higher thread, 1 to 99; 1 only without a lower one")
	fs.StringVar(&v.policy, "policy", string(rtsched.FIFO), "fifo, rr or other (not real-time, marked in every table)")
	fs.StringVar(&v.dmaLatency, "dma-latency", "0", "hold /dev/cpu_dma_latency at so many `us`, or keep it as it is")
	fs.BoolVar(&o.markdown, "markdown", false, "print the table of several runs as Markdown")
	o.load.Register(fs)
	if err := fs.Parse(args); err != nil {
		return nil, fs, cli.Usage(err)
	}
	if o.help, _ = fs.GetBool("help"); o.help {
		return o, fs, nil
	}
	if fs.NArg() > 0 {
		return nil, fs, cli.Usagef("unexpected argument %q: switchbench takes options only", fs.Arg(0))
	}
	if err := o.check(fs); err != nil {
		return nil, fs, err
	}
	var err error
	if o.loads, err = o.load.Loads(); err != nil {
		return nil, fs, err
	}
	return o, fs, o.take(&v, fs)
}

// wrapped lists the mechanisms in lines that fit the help.
func wrapped() string {
	var b strings.Builder
	for i, m := range switchbench.Mechanisms() {
		switch {
		case i == 7:
			b.WriteString(",\n")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(m))
	}
	return b.String()
}

// check says what is wrong with the plain values.
func (o *options) check(fs *pflag.FlagSet) error {
	switch {
	case o.measure.Form != format.Xenomai2 && o.measure.Form != format.Xenomai20:
		return cli.Usagef("--format %s: a table of switches has the forms %s and %s", o.measure.Form, format.Xenomai2, format.Xenomai20)
	case fs.Changed("samples") && o.config.Samples < 1:
		return cli.Usagef("-n %d: at least one sample", o.config.Samples)
	case o.ignore < 0 || o.ignore > 1_000_000:
		return cli.Usagef("-i %d: a number of samples up to a million", o.ignore)
	case o.config.Priority < 1 || o.config.Priority > 99:
		return cli.Usagef("-P %d: a priority from 1 to 99", o.config.Priority)
	}
	return o.measure.Check()
}

// take puts the values into the configuration and the lists of cells.
func (o *options) take(v *values, fs *pflag.FlagSet) error {
	c := &o.config
	if o.measure.Duration.Set && !fs.Changed("samples") {
		c.Samples = 0
	}
	c.Period, c.Break = v.period.Duration, o.measure.Break.Duration
	if c.Period < time.Microsecond || c.Period > switchbench.MaxPeriod {
		return cli.Usagef("-p %s: a period from 1 us to 1 s", c.Period)
	}
	var err error
	if c.Policy, err = rtsched.ParsePolicy(v.policy); err != nil {
		return cli.Usage(err)
	}
	if c.Policy == rtsched.Deadline {
		return cli.Usagef("--policy deadline: name --mechanism %s, which is made of such threads", switchbench.Deadline)
	}
	if !c.Policy.Fixed() {
		if fs.Changed("priority") {
			return cli.Usagef("-P and --policy %s: only fifo and rr have priorities", v.policy)
		}
		c.Priority = 0
	}
	c.Case = switchbench.Case(v.waiter)
	if !slices.Contains([]switchbench.Case{switchbench.Below, switchbench.Above, switchbench.Equal}, c.Case) {
		return cli.Usagef("--waiter %s: below, above or equal", v.waiter)
	}
	if err := takeDMALatency(c, v.dmaLatency); err != nil {
		return err
	}
	if err := v.cpus.CheckOnline(); err != nil {
		return err
	}
	c.CPUs = v.cpus
	return o.takeCells(v, fs)
}

func takeDMALatency(c *switchbench.Config, text string) error {
	if text == "keep" {
		c.KeepIdle = true
		return nil
	}
	us, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return cli.Usagef("--dma-latency %s: a number of us, or keep", text)
	}
	c.DMALatency = time.Duration(us) * time.Microsecond
	return nil
}

// takeCells fills the lists whose product is measured.
func (o *options) takeCells(v *values, fs *pflag.FlagSet) error {
	all := v.mechanism == "all"
	o.mechanisms = switchbench.Mechanisms()
	if !all {
		o.mechanisms = nil
		for name := range strings.SplitSeq(v.mechanism, ",") {
			m, err := switchbench.ParseMechanism(name)
			if err != nil {
				return cli.Usage(err)
			}
			o.mechanisms = append(o.mechanisms, m)
		}
	}
	switch v.space {
	case "":
		o.spaces = []bool{false}
		if all {
			o.spaces = []bool{false, true}
		}
	case "threads":
		o.spaces = []bool{false}
	case "processes":
		o.spaces = []bool{true}
	case "both":
		o.spaces = []bool{false, true}
	default:
		return cli.Usagef("--space %s: threads, processes or both", v.space)
	}
	ring := v.threads != ""
	switch {
	case ring && v.pingPong:
		return cli.Usagef("--threads and --ping-pong: a ring, or two threads that answer each other")
	case !ring && fs.Changed("working-set"):
		return cli.Usagef("--working-set needs --threads: only the threads of a ring touch memory")
	case (ring || v.pingPong) && fs.Changed("waiter"):
		return cli.Usagef("--waiter: only a hand-over has a waiter below or above")
	case (ring || v.pingPong) && fs.Changed("period"):
		return cli.Usagef("-p: only a hand-over has a period")
	case v.pingPong:
		o.config.Measure = switchbench.PingPong
		return nil
	case !ring:
		return nil
	}
	if !fs.Changed("mechanism") {
		o.mechanisms = []switchbench.Mechanism{switchbench.Pipe} // as lat_ctx
	}
	o.config.Measure = switchbench.Ring
	return o.takeRing(v)
}

func (o *options) takeRing(v *values) error {
	var err error
	if o.threads, err = numbers(v.threads); err != nil {
		return cli.Usage(err)
	}
	for text := range strings.SplitSeq(v.sets, ",") {
		var size loadflag.Size
		if text != "0" {
			if err := size.Set(text); err != nil {
				return cli.Usage(fmt.Errorf("--working-set: %w", err))
			}
		}
		if size > switchbench.MaxWorkingSet {
			return cli.Usagef("--working-set %s: at most 256M", text)
		}
		o.sets = append(o.sets, int(size))
	}
	return nil
}

// numbers takes a list such as 2,3,8 or a range such as 2..64, which doubles.
func numbers(s string) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(s, ",") {
		low, high, ranged := strings.Cut(part, "..")
		if !ranged {
			high = low
		}
		from, err := strconv.Atoi(low)
		to, err2 := strconv.Atoi(high)
		if err != nil || err2 != nil || from < 2 || to < from || to > switchbench.MaxThreads {
			return nil, fmt.Errorf("--threads %s: numbers from 2 to %d, such as 2,3,8 or 2..64", s, switchbench.MaxThreads)
		}
		for n := from; n <= to; n *= 2 {
			list = append(list, n)
		}
	}
	return list, nil
}
