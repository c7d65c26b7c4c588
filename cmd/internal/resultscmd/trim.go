package resultscmd

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/results"
)

// A trimming is the trim subcommand's options.
type trimming struct {
	logOutput
	first cli.Duration
}

func trimCommand() subcommand {
	return subcommand{
		name: "trim", args: "--first 10 RUN…",
		about: "cut off the first seconds of runs",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			t := trimming{first: cli.Duration{Unit: time.Second}}
			fs.Var(t.first.Value(), "first", "what to cut off, in seconds or with a unit; rounded up to whole seconds")
			t.register(fs)
			return t.run
		},
		help: `
Examples:
  results trim --first 10 -o settled.run whole.run
  results trim --first 1m whole.run | results show -
` + statuses,
	}
}

func (t *trimming) run(_ context.Context, env *cli.Env, args []string) error {
	if t.first.Duration <= 0 {
		return cli.Usagef("--first is missing or not above 0: how much to cut off")
	}
	runs, err := read(env, results.KeepAll, args)
	if err != nil {
		return err
	}
	for i, r := range runs {
		if runs[i], err = results.Trim(r, t.first.Duration); err != nil {
			return err
		}
	}
	return t.write(env, runs...)
}
