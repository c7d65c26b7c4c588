// Package threads is the flags of the commands that measure periodic threads:
// latency and klatency.
package threads

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/host"
	"worstcase/latency"
	"worstcase/rtsched"
)

// Flags are the flags, as given.
type Flags struct {
	align      string
	throttle   bool
	period     cli.Duration
	cpus       cli.CPUList
	all        bool
	policy     string
	timer      string
	dmaLatency string
	priority   int
	set        *pflag.FlagSet
}

// RegisterPeriod adds -p alone, which stands first in the help.
func (f *Flags) RegisterPeriod(fs *pflag.FlagSet) {
	f.set = fs
	f.period = cli.Duration{Duration: latency.DefaultPeriod, Unit: time.Microsecond}
	fs.VarP(f.period.Value(), "period", "p", "sampling period in us, or with a unit (100, 100us, 1ms); at most 1 s")
}

// Register adds the others.
func (f *Flags) Register(fs *pflag.FlagSet) {
	fs.VarP(&f.cpus, "cpus", "c", "CPUs to measure, one series each (0-3,6); default: the first isolated CPU,\nelse the last one")
	fs.BoolVarP(&f.all, "all", "a", false, "measure all CPUs")
	fs.StringVar(&f.align, "align", latency.AlignSpread, "dates of several CPUs: spread over the period, or the same")
	fs.IntVarP(&f.priority, "priority", "P", latency.DefaultPriority, "real-time priority, 1 to 99")
	fs.StringVar(&f.policy, "policy", string(rtsched.FIFO), "fifo, rr, deadline or other (not real-time, marked in every table)")
	fs.StringVar(&f.timer, "timer", string(rtsched.Nanosleep), "how to wait: nanosleep, timerfd, posix or busy")
	fs.BoolVar(&f.throttle, "allow-throttle", false, "let busy polling take more than 90 % of each second")
	fs.StringVar(&f.dmaLatency, "dma-latency", "0", "hold /dev/cpu_dma_latency at so many `us`, or keep it as it is")
}

// Config checks the flags' values and makes a configuration of them. Values
// that can't be are usage errors.
func (f *Flags) Config(breakAt time.Duration) (latency.Config, error) {
	c := latency.Config{Period: f.period.Duration, Align: f.align, AllowThrottle: f.throttle, Break: breakAt}
	var err error
	if c.Period < time.Microsecond || c.Period > latency.MaxPeriod {
		return c, cli.Usagef("-p %s: a period from 1 us to 1 s", c.Period)
	}
	if c.Align != latency.AlignSpread && c.Align != latency.AlignSame {
		return c, cli.Usagef("--align %s: spread or same", c.Align)
	}
	if c.Policy, err = rtsched.ParsePolicy(f.policy); err != nil {
		return c, cli.Usage(err)
	}
	if c.Timer, err = rtsched.ParseTimer(f.timer); err != nil {
		return c, cli.Usage(err)
	}
	if f.set.Changed("priority") && !c.Policy.Fixed() {
		return c, cli.Usagef("-P and --policy %s: only fifo and rr have priorities", f.policy)
	}
	if f.priority < 1 || f.priority > 99 {
		return c, cli.Usagef("-P %d: a priority from 1 to 99", f.priority)
	}
	if c.Policy.Fixed() {
		c.Priority = f.priority
	}
	if err := f.takeDMALatency(&c); err != nil {
		return c, err
	}
	return f.takeCPUs(c)
}

func (f *Flags) takeDMALatency(c *latency.Config) error {
	if f.dmaLatency == "keep" {
		c.KeepIdle = true
		return nil
	}
	var us int64
	if n, err := fmt.Sscanf(f.dmaLatency+"\n", "%d\n", &us); n != 1 || err != nil || us < 0 {
		return cli.Usagef("--dma-latency %s: a number of us, or keep", f.dmaLatency)
	}
	c.DMALatency = time.Duration(us) * time.Microsecond
	return nil
}

func (f *Flags) takeCPUs(c latency.Config) (latency.Config, error) {
	cpus := f.cpus
	if f.all && len(cpus) > 0 {
		return c, cli.Usagef("-a and -c: all CPUs, or those of a list")
	}
	if f.all {
		online, err := host.OnlineCPUs()
		if err != nil {
			return c, err
		}
		cpus = online
	}
	if err := cpus.CheckOnline(); err != nil {
		return c, err
	}
	c.CPUs = slices.Clone(cpus)
	c, err := c.WithDefaults()
	if err != nil {
		return c, cli.Usage(err)
	}
	return c, nil
}
