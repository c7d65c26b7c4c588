package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"worstcase/results"
	"worstcase/results/format"
	"worstcase/session"
)

// A Recording is where the runs of one command go: table, log, files.
type Recording struct {
	flags   *Measure
	env     *Env
	log     *results.Writer
	raw     *results.RawWriter
	files   []*os.File
	made    []string // names of files that weren't there before
	gnuplot io.Writer
	runs    []*results.Run
	status  error // the worst verdict so far
}

// Open opens the files that the flags name. The caller closes the recording,
// whatever comes.
func (m *Measure) Open(env *Env) (*Recording, error) {
	r := &Recording{flags: m, env: env}
	if err := r.open(); err != nil {
		r.closeFiles()
		r.removeEmpty()
		return nil, err
	}
	return r, nil
}

func (r *Recording) open() error {
	m := r.flags
	every, err := m.syncEvery()
	if err != nil {
		return err
	}
	switch m.Output {
	case "":
	case "-":
		r.log = results.NewWriter(r.env.Stdout)
	default:
		_, missing := os.Lstat(m.Output)
		if r.log, err = CreateLog(m.Output, m.Append); err != nil {
			return err
		}
		if missing != nil {
			r.made = append(r.made, m.Output)
		}
		r.log.SyncEvery = every
	}
	if m.Raw != "" {
		f, err := r.create(m.Raw)
		if err != nil {
			return err
		}
		r.raw = results.NewRawWriter(f)
	}
	switch m.Gnuplot {
	case "":
	case "-":
		r.gnuplot = r.env.Stdout
	default:
		r.gnuplot, err = r.create(m.Gnuplot)
	}
	return err
}

// create creates a file, to be closed with the recording.
func (r *Recording) create(path string) (*os.File, error) {
	f, made, err := Create(path)
	if err != nil {
		return nil, err
	}
	r.files = append(r.files, f)
	if made {
		r.made = append(r.made, path)
	}
	return f, nil
}

// Run makes one run: it fills in what cfg's flags decide, and keeps the
// outcome for Close. Further sinks may already be in cfg.
func (r *Recording) Run(ctx context.Context, cfg session.Config, src session.Source) error {
	m := r.flags
	run := &results.Run{Keep: results.KeepTotals}
	cfg.Sinks = append(cfg.Sinks, run)
	printer, err := r.printer()
	if err != nil {
		return Usage(err)
	}
	if printer != nil {
		cfg.Sinks = append(cfg.Sinks, printer)
	}
	if r.log != nil {
		cfg.Sinks = append(cfg.Sinks, r.log)
	}
	if cfg.Limits, err = m.Limits(); err != nil {
		return err
	}
	cfg.Duration, cfg.Raw, cfg.Report, cfg.Warn = m.Duration.Duration, r.raw, r.env.Report, r.env.Warn
	if cfg.WarmUp == 0 {
		cfg.WarmUp = session.DefaultWarmUp
	}
	cfg.Header.Label = m.Label
	cfg.Header.Config[results.ConfigCommand] = strings.Join(append([]string{r.env.Name}, r.env.Args...), " ")
	if m.Duration.Set {
		cfg.Header.Config[results.ConfigDuration] = int64(m.Duration.Duration)
	}
	if r.log != nil {
		cfg.Header.Config["sync"] = m.Sync
	}
	end, err := session.Run(ctx, cfg, src)
	if end != nil {
		r.runs = append(r.runs, run)
		r.status = worse(r.status, Verdict(end.Verdict))
		for _, w := range append(end.Warnings, exceeded(end)...) {
			r.env.Warn(w)
		}
	}
	return err
}

// exceeded names the limits that the run doesn't hold.
func exceeded(end *results.End) []string {
	var list []string
	for _, g := range end.Gates {
		if g.Pass {
			continue
		}
		text := fmt.Sprintf("--%s: %s", g.Name, g.Failure())
		if len(end.Series) > 1 {
			text += fmt.Sprintf(" (series %d)", g.Series)
		}
		list = append(list, text)
	}
	return list
}

// Table tells whether standard output has a table, under which more may stand.
func (r *Recording) Table() bool { return r.flags.Output != "-" && !r.flags.JSON }

// printer is what prints the table as it comes, with a status line under it on
// a terminal, nil where nothing shall.
func (r *Recording) printer() (results.Sink, error) {
	m := r.flags
	if m.Silent || m.Output == "-" || m.JSON && m.Form != format.Cyclictest {
		return nil, nil
	}
	o := m.printing()
	o.Notice, o.Gnuplot = r.env.Stderr, r.gnuplot
	table := func(w io.Writer) (results.Sink, error) { return format.New(m.Form, w, o) }
	if out, ok := r.env.Stdout.(*os.File); ok && !m.Quiet {
		return format.Live(out, table)
	}
	return table(r.env.Stdout)
}

// Runs are those made so far.
func (r *Recording) Runs() []*results.Run { return r.runs }

// Close closes the files, prints the JSON document where it was asked for, and
// returns the error that stands for the exit status of all runs. failed is what
// went wrong before.
func (r *Recording) Close(failed error) error {
	err := failed
	if r.flags.JSON && r.flags.Form != format.Cyclictest && len(r.runs) > 0 {
		err = errors.Join(err, results.WriteDocument(r.env.Stdout, r.runs...))
	}
	err = errors.Join(err, r.closeFiles())
	if len(r.runs) == 0 {
		r.removeEmpty()
	}
	if err == nil {
		return r.status
	}
	return err
}

func (r *Recording) closeFiles() error {
	var err error
	if r.log != nil {
		err = errors.Join(err, r.log.Close())
	}
	if r.raw != nil {
		err = errors.Join(err, r.raw.Close())
	}
	for _, f := range r.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// removeEmpty removes the files that were made for nothing: they would be in
// the way of the next attempt.
func (r *Recording) removeEmpty() {
	for _, path := range r.made {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
			os.Remove(path)
		}
	}
}

// worse is the error with the status that comes first in the order 1, 5, 3.
func worse(a, b error) error {
	order := map[int]int{StatusFailed: 3, StatusContradicts: 2, StatusNo: 1}
	if order[Status(b)] > order[Status(a)] {
		return b
	}
	return a
}
