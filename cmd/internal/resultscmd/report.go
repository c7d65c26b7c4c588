package resultscmd

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/results"
	"worstcase/results/compare"
	"worstcase/results/report"
)

// A reporting is the report subcommand's options.
type reporting struct {
	output
	out, title, by string
	heat           bool
	asked          bool // to compare: say why not
	seed           uint64
}

func reportCommand() subcommand {
	return subcommand{
		name: "report", args: "RUN… -o FILE.html",
		about: "write one page of tables, plots, differences and verdicts that opens offline",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			var r reporting
			fs.StringVarP(&r.out, "output", "o", "", "write the page to `FILE`, which must not exist; - is standard output")
			fs.StringVar(&r.title, "title", "", "the page's heading (default: tools and labels)")
			fs.StringVar(&r.by, "by", "label", "compare the runs by label, tool, load, a host fact or a configuration; empty: don't")
			fs.BoolVar(&r.heat, "heatmap", true, "show when which latencies occurred, of the first eight runs, where they have ten seconds")
			fs.Uint64Var(&r.seed, "seed", 1, "of everything drawn at random")
			r.register(fs)
			return func(ctx context.Context, env *cli.Env, args []string) error {
				r.asked = fs.Changed("by")
				return r.run(ctx, env, args)
			}
		},
		help: `
Runs that differ in their label are compared, the first label being what was
before; results compare tells what that is worth. --json and --markdown, to
standard output unless -o names a file, hold the same; Markdown has no plots.

Examples:
  results report before/ after/ -o report.html
  results report --by kernel.release runs/ -o kernels.html
` + statuses,
	}
}

func (r *reporting) run(_ context.Context, env *cli.Env, args []string) error {
	if err := r.check(); err != nil {
		return err
	}
	if r.out == "" && (r.json || r.markdown) {
		r.out = "-"
	}
	if r.out == "" {
		return cli.Usage(errors.New("where to is missing: -o FILE.html or -o -"))
	}
	runs, columns, err := readColumns(env, args, r.heat)
	if err != nil {
		return err
	}
	page := report.Page{Title: r.title, Runs: runs, Columns: columns, Comparisons: r.comparisons(env, runs)}
	write := report.Write
	switch {
	case r.json:
		write = report.WriteJSON
	case r.markdown:
		write = report.WriteMarkdown
	}
	var answer bytes.Buffer
	if err := write(&answer, page); err != nil {
		return err
	}
	return env.WriteFile(r.out, answer.Bytes())
}

// comparisons judges each group of runs against the first. What can't be
// compared leaves the page without comparisons. Figures that somebody published,
// means without samples, stand beside the others and are never judged.
func (r *reporting) comparisons(env *cli.Env, runs []*results.Run) (list []*compare.Comparison) {
	runs = slices.DeleteFunc(slices.Clone(runs), onlyMeans)
	if len(runs) == 0 {
		return nil
	}
	several := func() bool {
		return slices.ContainsFunc(runs[1:], func(x *results.Run) bool {
			a, ok := valueOf(x, r.by)
			b, both := valueOf(runs[0], r.by)
			return ok && both && a != b
		})
	}
	if r.by == "" || !several() {
		return nil
	}
	sides, err := groups(runs, r.by)
	if err != nil {
		r.excuse(env, err)
		return nil
	}
	if err := addBlocks(sides); err != nil {
		r.excuse(env, err)
		return nil
	}
	for _, b := range sides[1:] {
		c, err := compare.Compare(sides[0], b, compare.Options{Seed: r.seed})
		if err != nil {
			r.excuse(env, err)
			return nil
		}
		list = append(list, c)
	}
	return list
}

// onlyMeans reports whether an imported run tells no more than means.
func onlyMeans(r *results.Run) bool {
	totals := r.Totals()
	return len(totals) > 0 && !slices.ContainsFunc(totals, func(t results.Total) bool { return !t.Missing.Has(results.NoMax) || !t.Missing.Has(results.NoCount) })
}

// excuse says why the page has no comparison, to those who asked for one.
func (r *reporting) excuse(env *cli.Env, err error) {
	if r.asked {
		env.Warn("no comparison: " + err.Error())
	}
}
