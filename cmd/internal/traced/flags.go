// Package traced is what latency and klatency share: runs whose wake-ups are
// traced in the kernel, and the tables that take them apart.
package traced

import (
	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/klatency"
	"worstcase/latency"
	"worstcase/results"
	"worstcase/rtsched"
)

// Flags ask for wake-ups to be taken apart.
type Flags struct {
	Stages bool
	Spikes int
}

// Register adds the flags to fs.
func (f *Flags) Register(fs *pflag.FlagSet) {
	fs.BoolVar(&f.Stages, "stages", false, "take every wake-up apart with eBPF, and print what each stage took")
	fs.IntVar(&f.Spikes, "spikes", 0, "print the `N` worst wake-ups: when, how long, each stage, who was to blame")
}

// Check says what is wrong with the flags for this mode and configuration, as
// a usage error.
func (f *Flags) Check(mode int, c *latency.Config) error {
	switch {
	case f.Spikes < 0:
		return cli.Usagef("--spikes %d: a number of wake-ups", f.Spikes)
	case f.Wanted(mode) && c.Timer == rtsched.Busy:
		return cli.Usagef("--timer busy: a thread that doesn't sleep has no wake-ups to trace")
	case f.Wanted(mode) && c.Policy == rtsched.Deadline:
		return cli.Usagef("--policy deadline: only threads that stay on their CPU can be traced")
	}
	return nil
}

// Wanted tells whether a run in this mode has to be traced.
func (f *Flags) Wanted(mode int) bool { return mode != 0 || f.Stages || f.Spikes > 0 }

// Mode is what the letter t of Xenomai's latency stands for.
func Mode(t int) string {
	return [...]string{results.ModeUser, results.ModeKernel, results.ModeHandler}[t]
}

// Source is what measures a configuration in a mode. It changes the
// configuration as kept in record.
func (f *Flags) Source(t int, c latency.Config, record map[string]any, warn func(string)) *klatency.Source {
	traced := klatency.Config{Mode: Mode(t), Period: c.Period, Stages: f.Stages, Spikes: f.Spikes}
	record[results.ConfigMode] = traced.Mode
	f.Record(record)
	if t != 0 {
		// The threads' own latency is not what is measured.
		record[results.ConfigBackend] = "eBPF"
		traced.Break, c.Break = c.Break, 0
	} else {
		record["traced"] = "eBPF"
	}
	return klatency.NewSource(latency.NewSource(c, warn), traced)
}

// Record adds what the flags ask for to the configuration as kept in a run log.
func (f *Flags) Record(record map[string]any) {
	if f.Spikes > 0 {
		record[results.ConfigSpikes] = f.Spikes
	}
}
