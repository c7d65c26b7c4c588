// Package loadflag gives the measuring tools their --load flags, and fits
// loadgen's loads to a session.
package loadflag

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/loadgen"
	"worstcase/results"
	"worstcase/session"
)

// Flags are the loads that were asked for, and their limits.
type Flags struct {
	Limits
	loads    []string
	commands []string
}

// Limits are what bounds a load. The names of its flags begin with a prefix.
type Limits struct {
	CPUs     cli.CPUList
	Memory   Size
	Disk     Size
	Dir      string
	Quota    Percent
	Weight   int
	IOWeight int
	Pids     int
	Priority int
}

// maxPids is the kernel's own limit, PID_MAX_LIMIT of include/linux/threads.h.
const maxPids = 1 << 22

// Register adds the limits' flags, such as --load-quota for the prefix "load-".
func (l *Limits) Register(fs *pflag.FlagSet, prefix string) {
	fs.Var(&l.Memory, prefix+"memory", "memory that the load may take (512M, 2G); default: a quarter of what is free")
	fs.Var(&l.Quota, prefix+"quota", "CPU time that the load may take: 150% is one and a half CPUs")
	fs.Var(number{&l.Weight, 10000}, prefix+"weight", "CPU weight of the load's cgroup, 1 to 10000; others have 100")
	fs.Var(number{&l.IOWeight, 1000}, prefix+"io-weight", "disk weight of the load's cgroup, 1 to 1000; others have 100")
	fs.Var(number{&l.Pids, maxPids}, prefix+"pids", "threads and processes that the load may make (default 4096)")
	fs.Var(&l.Disk, prefix+"disk", "disk space that io may take (default 256M)")
	fs.StringVar(&l.Dir, prefix+"dir", "", "directory in which io makes its nameless files")
	fs.Var(number{&l.Priority, 98}, prefix+"priority", "priority of the kind called priority (default 10)")
}

// Apply puts the limits into c. Those that no load like c can hold are a usage
// error.
func (l *Limits) Apply(c loadgen.Config) (loadgen.Config, error) {
	c.CPUs, c.Memory, c.Disk, c.Dir = l.CPUs, int64(l.Memory), int64(l.Disk), l.Dir
	c.Quota, c.Weight, c.IOWeight, c.Pids, c.Priority = float64(l.Quota), l.Weight, l.IOWeight, l.Pids, l.Priority
	if err := c.Check(); err != nil {
		return c, cli.Usage(fmt.Errorf("load %s: %w", loadgen.New(c).Name(), err))
	}
	return c, nil
}

// Register adds the flags of a measuring tool.
func (f *Flags) Register(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.loads, "load", nil, "measure under this `load`: kinds and profiles of loadgen, all together (fork,cache:2);\ngiven several times, one run each, in turn, all in the one log of -o; idle is a\nload, too")
	fs.StringArrayVar(&f.commands, "load-exec", nil, "measure under this shell `command`, beside every --load")
	fs.Var(&f.CPUs, "load-cpus", "CPUs of the load (0-3,6); default: all")
	f.Limits.Register(fs, "load-")
}

// Loads returns the loads, one for each run to make; nil without any.
func (f *Flags) Loads() ([]loadgen.Config, error) {
	if err := CheckCommands("load-exec", f.commands); err != nil {
		return nil, err
	}
	texts := f.loads
	if len(texts) == 0 {
		if len(f.commands) == 0 {
			if f.limited() {
				return nil, cli.Usage(errors.New("a limit of a load is given, but no --load"))
			}
			return nil, nil
		}
		texts = []string{""}
	}
	var list []loadgen.Config
	for _, text := range texts {
		if text == "" && len(f.loads) > 0 {
			return nil, cli.Usagef("--load: the name of the load is empty; idle is the load that is none")
		}
		c, err := resolve(text)
		if err != nil {
			return nil, cli.Usage(err)
		}
		c.Commands = append(c.Commands, f.commands...)
		if c, err = f.Apply(c); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// CheckCommands says when a command of the flag is empty, as that of an unset
// variable is.
func CheckCommands(flag string, commands []string) error {
	for _, c := range commands {
		if strings.TrimSpace(c) == "" {
			return cli.Usagef("--%s: the command is empty", flag)
		}
	}
	return nil
}

func resolve(text string) (loadgen.Config, error) {
	if text == "" {
		return loadgen.Config{}, nil
	}
	return loadgen.Resolve(strings.Split(text, ",")...)
}

func (f *Flags) limited() bool {
	l := f.Limits
	return len(l.CPUs) > 0 || l.Memory != 0 || l.Disk != 0 || l.Dir != "" || l.Quota != 0 ||
		l.Weight != 0 || l.IOWeight != 0 || l.Pids != 0 || l.Priority != 0
}

// Each calls run once for each load, one after the other, or once without any.
// The context's end, or an error, ends it.
func Each(ctx context.Context, configs []loadgen.Config, warn func(string), run func([]session.Load) error) error {
	if len(configs) == 0 {
		return run(nil)
	}
	for i, c := range configs {
		if i > 0 && ctx.Err() != nil {
			return nil
		}
		if err := run([]session.Load{New(c, warn)}); err != nil {
			return err
		}
	}
	return nil
}

// Record enters the loads' names into a run's configuration.
func Record(config map[string]any, loads []session.Load) map[string]any {
	for _, l := range loads {
		if name := l.Name(); name != idle {
			config[results.ConfigLoad] = name
		}
	}
	return config
}

// idle is the load that is none: a run under it is as one without.
const idle = "idle"

// New makes a session's load. Notes of the started load go to warn.
func New(c loadgen.Config, warn func(string)) session.Load {
	return &load{Load: loadgen.New(c), warn: warn}
}

type load struct {
	*loadgen.Load
	warn func(string)
}

func (l *load) Start(ctx context.Context) error {
	if err := l.Load.Start(ctx); err != nil {
		return err
	}
	for _, note := range l.Notes() {
		l.warn(note)
	}
	return nil
}

func (l *load) Rates() map[string]results.Rate {
	rates := map[string]results.Rate{}
	for kind, r := range l.Load.Rates() {
		rates[kind] = results.Rate{Rate: math.Round(r.Rate*10) / 10, Unit: r.Unit}
	}
	return rates
}
