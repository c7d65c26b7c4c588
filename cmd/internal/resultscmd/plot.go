package resultscmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
	"worstcase/results"
	"worstcase/results/plot"
)

// A plotting is the plot subcommand's options.
type plotting struct {
	out    string
	kinds  []string
	what   string
	format string
	json   bool
}

func plotCommand() subcommand {
	return subcommand{
		name: "plot", args: "RUN… -o FILE.svg|FILE.png",
		about: "draw runs: histogram, percentiles, over time, heat map",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			var p plotting
			fs.StringVarP(&p.out, "output", "o", "", "draw into `FILE`, which must not exist; - is standard output")
			fs.StringSliceVar(&p.kinds, "kind", []string{string(plot.KindHistogram)}, "what to draw, several below each other: "+kindNames())
			fs.StringVar(&p.what, "what", "service", "the time that size and rate show: service, response, fill, read")
			fs.StringVar(&p.format, "format", "", "svg or png (default: as FILE ends, svg on standard output)")
			fs.BoolVar(&p.json, "json", false, "write the curves instead of a picture")
			return p.run
		},
		help: `
  histogram   samples per us, both axes as they serve the tail, the maximum marked
  percentile  HdrHistogram's: latency over the logarithm of 1/(1-q)
  time        the largest latency of each second, or of as many as fit
  heatmap     when which latencies occurred, a picture for each run
  size, rate  a transport's cells: latency, CPU, memory and loss

Examples:
  results plot before.run after.run -o both.svg
  results plot --kind histogram,percentile,time day.run -o day.png
  latency -T 60 -o - | results plot - -o -
` + statuses,
	}
}

func kindNames() string {
	var list []string
	for _, k := range plot.Kinds() {
		list = append(list, string(k))
	}
	return strings.Join(list, ", ")
}

// check returns the format of the picture.
func (p *plotting) check() (plot.Format, error) {
	for _, k := range p.kinds {
		if !slices.Contains(plot.Kinds(), plot.Kind(k)) {
			return "", cli.Usagef("--kind %q: one of %s", k, kindNames())
		}
	}
	format := plot.Format(strings.TrimPrefix(strings.ToLower(filepath.Ext(p.out)), "."))
	switch {
	case p.json && p.out == "":
		p.out = "-"
		return "", nil
	case p.out == "":
		return "", cli.Usage(errors.New("where to is missing: -o FILE.svg, -o FILE.png or -o -"))
	case p.format != "":
		format = plot.Format(p.format)
	case p.out == "-":
		format = plot.SVG
	}
	if format != plot.SVG && format != plot.PNG && !p.json {
		return "", cli.Usagef("draw %s: neither svg nor png; --format tells", p.out)
	}
	return format, nil
}

func (p *plotting) run(_ context.Context, env *cli.Env, args []string) error {
	format, err := p.check()
	if err != nil {
		return err
	}
	heat := slices.Contains(p.kinds, string(plot.KindHeatmap))
	runs, columns, err := readColumns(env, args, heat)
	if err != nil {
		return err
	}
	charts := p.charts(runs, columns)
	if len(charts) == 0 {
		return remedy.Hint(fmt.Errorf("draw %s: no series has that label", strings.Join(p.kinds, ", ")), "transport writes runs with sizes and rates")
	}
	var answer bytes.Buffer
	if p.json {
		err = writeJSON(&answer, charts)
	} else {
		err = plot.Write(&answer, format, charts...)
	}
	if err != nil {
		return err
	}
	return env.WriteFile(p.out, answer.Bytes())
}

func (p *plotting) charts(runs []*results.Run, columns []*plot.Columns) (charts []plot.Chart) {
	for _, k := range p.kinds {
		switch k := plot.Kind(k); k {
		case plot.KindHistogram:
			charts = append(charts, plot.Histogram(runs...))
		case plot.KindPercentile:
			charts = append(charts, plot.Percentile(runs...))
		case plot.KindTime:
			charts = append(charts, plot.Time(runs...))
		case plot.KindHeatmap:
			charts = append(charts, plot.Heatmap(runs, columns)...)
		default:
			charts = append(charts, plot.Over(string(k), p.what, runs...)...)
		}
	}
	return charts
}

// readColumns reads runs, and when asked for also their histograms by time: of
// files in a second reading, since a run that keeps all of them takes some
// 20 kB a second and series; of standard input, which can't be read twice, in
// that way.
func readColumns(env *cli.Env, paths []string, heat bool) ([]*results.Run, []*plot.Columns, error) {
	keep := results.KeepFigures
	if heat && slices.Contains(paths, "-") {
		keep = results.KeepAll
	}
	runs, err := read(env, keep, paths)
	if err != nil || !heat {
		return runs, nil, err
	}
	columns := make([]*plot.Columns, len(runs))
	files := decoding()
	for i := 0; i < len(runs); {
		n := i + 1
		for n < len(runs) && runs[n].Source == runs[i].Source {
			n++
		}
		source, own := runs[i:n], columns[i:n]
		files.Go(func() error { return fillColumns(source, own) })
		i = n
	}
	return runs, columns, files.Wait()
}

// fillColumns makes the columns of the runs of one source.
func fillColumns(runs []*results.Run, columns []*plot.Columns) error {
	if runs[0].Keep == results.KeepAll {
		for i, r := range runs {
			columns[i] = new(plot.Columns)
			for k := range r.Intervals {
				if err := columns[i].Put(&r.Intervals[k]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	f, err := os.Open(runs[0].Source)
	if err != nil {
		return fmt.Errorf("read runs: %w", err)
	}
	defer f.Close()
	at := -1
	for r := results.NewReader(f); ; {
		rec, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", runs[0].Source, err)
		}
		if _, begins := rec.(*results.Header); begins {
			if at++; at == len(columns) { // the log grew meanwhile
				return nil
			}
			columns[at] = new(plot.Columns)
		}
		if at < 0 {
			continue
		}
		if err := columns[at].Put(rec); err != nil {
			return err
		}
	}
}
