// Package resultscmd is the results command: one file for each of its
// subcommands.
package resultscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
)

// A subcommand is one of results' commands.
type subcommand struct {
	name string
	// args are what stands behind the name in a usage line.
	args  string
	about string
	// flags adds the subcommand's own flags to fs and returns what to run once
	// they are parsed.
	flags func(fs *pflag.FlagSet) func(ctx context.Context, env *cli.Env, args []string) error
	help  string
}

// subcommands in the order of the help.
func subcommands() []subcommand {
	return []subcommand{
		showCommand(),
		tableCommand(),
		compareCommand(),
		planCommand(),
		plotCommand(),
		reportCommand(),
		importCommand(),
		exportCommand(),
		mergeCommand(),
		trimCommand(),
	}
}

const help = `results reads what was measured, and says which is better and how sure that is.

RUN is a run log, a folder of them, another tool's output, or - for standard input.

usage: results COMMAND [options] RUN…

`

const statuses = `
Exit status: 0 good; 1 failed, or the question can't be answered; 2 usage;
3 a comparison says no (--fail-on).
`

// Run is the command. The error stands for the exit status.
func Run(ctx context.Context, env *cli.Env) error {
	if len(env.Args) == 0 {
		return cli.Usage(errors.New("a command is missing: " + names()))
	}
	name := env.Args[0]
	switch name {
	case "help", "--help", "-h":
		return overview(env.Stdout)
	}
	for _, c := range subcommands() {
		if c.name == name {
			return c.run(ctx, env)
		}
	}
	return cli.Usagef("unknown command %q: one of %s", name, names())
}

func names() string {
	var list []string
	for _, c := range subcommands() {
		list = append(list, c.name)
	}
	return strings.Join(list, ", ")
}

func overview(w io.Writer) error {
	var b strings.Builder
	b.WriteString(help)
	for _, c := range subcommands() {
		fmt.Fprintf(&b, "  %-9s %s\n", c.name, c.about)
	}
	b.WriteString("\nresults COMMAND --help tells a command's options.\n" + statuses)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c subcommand) run(ctx context.Context, env *cli.Env) error {
	fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	run := c.flags(fs)
	err := fs.Parse(env.Args[1:])
	switch {
	case errors.Is(err, pflag.ErrHelp):
		_, err := fmt.Fprintf(env.Stdout, "results %s: %s\n\nusage: results %s [options] %s\n\n%s%s", c.name, c.about, c.name, c.args, cli.Usages(fs), c.help)
		return err
	case err != nil:
		return c.hinted(cli.Usage(fmt.Errorf("%s: %w", c.name, err)))
	}
	args := fs.Args()
	if n := fs.ArgsLenAtDash(); n >= 0 {
		// Only compare has two sides; it finds the dashes again.
		args = append(append(append([]string(nil), args[:n]...), "--"), args[n:]...)
	}
	return c.hinted(run(ctx, env, args))
}

// hinted points a usage error without a remedy at the subcommand's help.
func (c subcommand) hinted(err error) error {
	if cli.Status(err) != cli.StatusUsage || remedy.Of(err) != "" {
		return err
	}
	return remedy.Hint(err, "results "+c.name+" --help tells the options")
}
