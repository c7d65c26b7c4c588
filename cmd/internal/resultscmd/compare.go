package resultscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
	"worstcase/results"
	"worstcase/results/compare"
)

// A comparing is the compare subcommand's options.
type comparing struct {
	output
	by     string
	margin string
	alpha  float64
	failOn string
	levels bool
	seed   uint64
}

func compareCommand() subcommand {
	return subcommand{
		name: "compare", args: "A… -- B… | A B | --by KEY RUN…",
		about: "say whether B is better than A, and how sure that is",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			var c comparing
			fs.StringVar(&c.by, "by", "", "tell the sides apart by label, tool, load, a host fact (kernel.release)\nor a configuration (config.policy); the runs that started first are A")
			fs.StringVar(&c.margin, "margin", compare.DefaultMargin().String(), "the difference that nobody minds: a share of A, a duration, or the larger of both")
			fs.Float64Var(&c.alpha, "alpha", 0.05, "probability of a false claim in the whole comparison")
			fs.StringVar(&c.failOn, "fail-on", "", "worse: exit with status 3 when B is worse")
			fs.BoolVar(&c.levels, "levels", true, "return levels of maxima not met yet")
			fs.Uint64Var(&c.seed, "seed", 1, "of everything drawn at random")
			c.register(fs)
			return c.run
		},
		help: `
Whole runs are compared, as samples of one run depend on each other. Four runs a
side can decide, five or more are better. Interleave them: A B A B, or A B B A,
never all of A first, since machines drift.

  better, worse  a difference is shown
  same           it is shown to be within the margin
  ~              neither is shown

Runs that measured several things, as a set of transports and sizes does, are
compared cell by cell, with the probability of a false claim shared out.

One run a side gets intervals from its seconds. They say what these two runs
would have shown, had they gone on, and nothing about the next boot.

Examples:
  results compare 6.12-*.run -- 6.12-rt-*.run
  results compare --by kernel.release --margin 10%,2us runs/
  results compare --fail-on worse base/ -- patched/ && git push
` + statuses,
	}
}

// run compares the sides and prints the answer.
func (c *comparing) run(_ context.Context, env *cli.Env, args []string) error {
	margin, err := c.check()
	if err != nil {
		return err
	}
	sides, err := c.sides(env, args)
	if err != nil {
		return err
	}
	if err := addBlocks(sides); err != nil {
		return err
	}
	var list []*compare.Comparison
	for _, b := range sides[1:] {
		o := compare.Options{Margin: margin, Alpha: c.alpha, Seed: c.seed, Extremes: c.levels}
		answers, err := compare.Cells(sides[0], b, o)
		if err != nil {
			return remedy.Hint(err, "results show tells the series of a run")
		}
		list = append(list, answers...)
	}
	if err := c.print(env.Stdout, list); err != nil {
		return err
	}
	return c.status(list)
}

func (c *comparing) check() (compare.Margin, error) {
	margin, err := compare.ParseMargin(c.margin)
	switch {
	case err != nil:
		return margin, cli.Usage(err)
	case c.failOn != "" && c.failOn != string(compare.Worse):
		return margin, cli.Usagef("--fail-on %q: only worse is known", c.failOn)
	case !(c.alpha > 0 && c.alpha < 0.5):
		return margin, cli.Usagef("--alpha %g: a probability between 0 and 0.5", c.alpha)
	}
	return margin, c.output.check()
}

// sides reads the runs of both sides, or of all groups, the first being A.
func (c *comparing) sides(env *cli.Env, args []string) ([]compare.Side, error) {
	dash := slices.Index(args, "--")
	switch {
	case c.by != "" && dash >= 0:
		return nil, cli.Usage(errors.New("--by and -- both tell the sides apart: use one"))
	case c.by != "":
		runs, err := read(env, results.KeepFigures, args)
		if err != nil {
			return nil, err
		}
		return groups(runs, c.by)
	case dash < 0 && len(args) == 2:
		args, dash = []string{args[0], "--", args[1]}, 1
	case dash < 0:
		return nil, cli.Usage(errors.New("the sides are missing: results compare A… -- B…, or --by KEY"))
	}
	a, b := args[:dash], args[dash+1:]
	switch {
	case slices.Contains(b, "--"):
		return nil, cli.Usage(errors.New("a second --: there are two sides, A… -- B…; --by KEY compares more"))
	case len(a) == 0 || len(b) == 0:
		return nil, cli.Usage(errors.New("a side is empty: results compare A… -- B…"))
	}
	for _, path := range a {
		if slices.Contains(b, path) {
			env.Warn(path + " is on both sides")
		}
	}
	var sides []compare.Side
	for _, paths := range [][]string{a, b} {
		runs, err := read(env, results.KeepFigures, paths)
		if err != nil {
			return nil, err
		}
		sides = append(sides, compare.Side{Runs: runs})
	}
	return sides, nil
}

// groups sorts runs by the value of a key, the group that started first first.
func groups(runs []*results.Run, key string) ([]compare.Side, error) {
	var sides []compare.Side
	for _, r := range runs {
		v, ok := valueOf(r, key)
		if !ok {
			return nil, remedy.Hint(fmt.Errorf("group runs by %s: %s has none", key, r.Source), "label, tool, load, a fact of results show, such as kernel.release, or a configuration, such as config.policy")
		}
		i := slices.IndexFunc(sides, func(s compare.Side) bool { return s.Name == v })
		if i < 0 {
			i = len(sides)
			sides = append(sides, compare.Side{Name: v})
		}
		sides[i].Runs = append(sides[i].Runs, r)
	}
	if len(sides) < 2 {
		return nil, fmt.Errorf("group runs by %s: all have %s, nothing to compare", key, sides[0].Name)
	}
	slices.SortStableFunc(sides, func(a, b compare.Side) int { return first(a.Runs).Compare(first(b.Runs)) })
	return sides, nil
}

// print writes the answers.
func (c *comparing) print(w io.Writer, list []*compare.Comparison) error {
	if c.json {
		if len(list) == 1 {
			return writeJSON(w, list[0])
		}
		return writeJSON(w, list)
	}
	for i, answer := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := c.printOne(w, answer); err != nil {
			return err
		}
	}
	return nil
}

// named is side B of a comparison, and the cell where there are several.
func named(answer *compare.Comparison) string {
	return strings.TrimSpace(answer.B.Name + " " + answer.Cell)
}

// status is that of --fail-on. A question that can't be answered is no yes.
func (c *comparing) status(list []*compare.Comparison) error {
	if c.failOn == "" {
		return nil
	}
	var worse []string
	for _, answer := range list {
		switch answer.Verdict {
		case compare.Worse:
			worse = append(worse, named(answer))
		case "":
			return remedy.Hint(fmt.Errorf("judge %s: no verdict is possible", named(answer)), "the first lines above say why")
		}
	}
	if len(worse) > 0 {
		return cli.No(strings.Join(worse, ", ") + " is worse")
	}
	return nil
}
