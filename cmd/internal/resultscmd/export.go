package resultscmd

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/results"
	"worstcase/results/format"
)

// An exporting is the export subcommand's options.
type exporting struct {
	to     string
	output string
	series int
}

func exportCommand() subcommand {
	return subcommand{
		name: "export", args: "RUN…",
		about: "write runs for other programs",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			var ex exporting
			fs.StringVar(&ex.to, "to", "", "`FORMAT`: "+strings.Join(format.Exports(), ", "))
			fs.StringVarP(&ex.output, "output", "o", "-", "write to `FILE`, which must not exist; - is standard output")
			fs.IntVar(&ex.series, "series", -1, "write only the series with this number")
			return ex.run
		},
		help: `
gnuplot, osadl and cyclictest hold one run, the others any number. What a run
doesn't know is left out; hdr, gnuplot, osadl and cyclictest need histograms.
` + statuses,
	}
}

func (ex *exporting) run(_ context.Context, env *cli.Env, args []string) error {
	if !slices.Contains(format.Exports(), ex.to) {
		return cli.Usagef("--to %q: one of %s", ex.to, strings.Join(format.Exports(), ", "))
	}
	runs, err := read(env, results.KeepFigures, args)
	if err != nil {
		return err
	}
	if ex.series >= 0 {
		for i, r := range runs {
			if runs[i], err = only(r, ex.series); err != nil {
				return err
			}
		}
	}
	// The text is made whole first: a failure leaves no half of a file.
	var text bytes.Buffer
	if err := format.Export(&text, ex.to, runs...); err != nil {
		return err
	}
	return env.WriteFile(ex.output, text.Bytes())
}

// only returns a run with one of its series.
func only(r *results.Run, series int) (*results.Run, error) {
	one := &results.Run{Source: r.Source, Keep: r.Keep, Warnings: r.Warnings}
	header := r.Header
	header.Series = slices.DeleteFunc(slices.Clone(header.Series), func(s results.SeriesInfo) bool { return s.ID != series })
	if len(header.Series) == 0 {
		return nil, fmt.Errorf("%s has no series %d", r.Source, series)
	}
	if err := one.Put(&header); err != nil {
		return nil, err
	}
	for i := range r.Intervals {
		if r.Intervals[i].Series == series {
			if err := one.Put(&r.Intervals[i]); err != nil {
				return nil, err
			}
		}
	}
	totals := slices.DeleteFunc(slices.Clone(r.Totals()), func(t results.Total) bool { return t.ID != series })
	if r.End == nil {
		return one, one.Put(&results.Checkpoint{Series: totals})
	}
	end := *r.End
	end.Series = totals
	end.Gates = slices.DeleteFunc(slices.Clone(end.Gates), func(g results.Gate) bool { return g.Series != series })
	return one, one.Put(&end)
}
