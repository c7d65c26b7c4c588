package resultscmd

import (
	"context"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
	"worstcase/results"
)

func mergeCommand() subcommand {
	return subcommand{
		name: "merge", args: "RUN…",
		about: "make one run of runs of one configuration",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			var o logOutput
			o.register(fs)
			return func(_ context.Context, env *cli.Env, args []string) error { return merge(env, args, o) }
		},
		help: `
The runs follow each other in the order given; tool, configuration, kernel and
series must be the same. Keep the single runs: a comparison speaks of runs, and
merged ones count as one.

Examples:
  results merge -o whole.run part1.run part2.run
` + statuses,
	}
}

func merge(env *cli.Env, args []string, o logOutput) error {
	runs, err := read(env, results.KeepAll, args)
	if err != nil {
		return err
	}
	merged, err := results.Merge(runs...)
	if err != nil {
		return remedy.Hint(err, "results compare lists what differs")
	}
	return o.write(env, merged)
}
