package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"worstcase/results"
	"worstcase/results/format"
)

// noLimit stands for a gate of numbers that wasn't asked for.
const noLimit = -1

// Measure is the flags that every measuring tool has: how long, what to print,
// what to keep, and which limits to hold the figures against.
type Measure struct {
	Duration    Duration
	Form        string
	Lines       int
	Quiet       bool
	Histogram   bool
	Stats       bool
	Cells       int
	Cell        Duration
	Gnuplot     string
	JSON        bool
	Output      string
	Append      bool
	Sync        string
	Label       string
	Raw         string
	Max         Duration
	Percentiles []string
	MaxOverruns int64
	MaxLost     int64
	Break       Duration

	// Silent prints no table for each run: the command makes one of its own.
	Silent bool
	// Ends says that the run ends by itself, also without -T.
	Ends bool
	// What is the kind of series that the limits are for; empty for all.
	What string

	set *pflag.FlagSet
}

// Flags makes a flag set whose -h isn't help, since that letter is the
// histogram's in all measuring tools.
func Flags(name string) *pflag.FlagSet {
	fs := pflag.NewFlagSet(name, pflag.ContinueOnError)
	fs.SortFlags = false
	fs.Usage = func() {}
	fs.Bool("help", false, "show this help")
	return fs
}

// Usages is the help on the flags of fs, with switches as people write them:
// --quiet, not --quiet[=true|false].
func Usages(fs *pflag.FlagSet) string {
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			f.Value = struct{ pflag.Value }{f.Value} // hides its IsBoolFlag
		}
	})
	return fs.FlagUsages()
}

// Register adds the flags to fs.
func (m *Measure) Register(fs *pflag.FlagSet) {
	m.set = fs
	m.Duration.Unit, m.Cell.Unit, m.Max.Unit, m.Break.Unit = time.Second, time.Nanosecond, time.Microsecond, time.Microsecond
	m.Cell.Duration = time.Microsecond
	fs.VarP(m.Duration.Value(), "duration", "T", "measured time in seconds or with a unit (60, 5m, 1h), after one second of\nwarm-up; without it, or 0, until a signal")
	fs.StringVar(&m.Form, "format", format.Xenomai3, "form of the table: "+strings.Join(format.Forms(), ", "))
	fs.IntVarP(&m.Lines, "lines", "l", 21, "lines of data for each header; 0: no header")
	fs.BoolVarP(&m.Quiet, "quiet", "q", false, "print the summary only; needs -T")
	fs.BoolVarP(&m.Histogram, "histogram", "h", false, "print histograms of the minimum, all samples, and the maximum (HSD)")
	fs.BoolVarP(&m.Stats, "stats", "s", false, "print average and standard deviation of these (HSS)")
	fs.IntVarP(&m.Cells, "cells", "H", 300, "number of histogram cells")
	fs.VarP(m.Cell.Value(), "cell", "B", "width of a histogram cell in ns")
	fs.StringVarP(&m.Gnuplot, "gnuplot", "g", "", "write the histogram to `FILE` for gnuplot; - is standard output")
	fs.BoolVar(&m.JSON, "json", false, "print one JSON document in place of the table")
	fs.StringVarP(&m.Output, "output", "o", "", "write the run log to `FILE`; - streams it to standard output, without a table")
	fs.BoolVar(&m.Append, "append", false, "append the run to an existing log")
	fs.StringVar(&m.Sync, "sync", "1s", "write the log through to its disk once in this time, or at the `end` only")
	fs.StringVar(&m.Label, "label", "", "name the run (default: the kernel release)")
	fs.StringVar(&m.Raw, "raw", "", "keep every sample with its date in `FILE`")
	fs.VarP(m.Max.Value(), "max", "m", "exit with status 3 when the worst case is above this (150us, or a number of us)")
	fs.StringArrayVar(&m.Percentiles, "percentile", nil, "exit with status 3 when a percentile is above its limit, as in 99.999=`80us`;\nmay be given several times")
	fs.Int64Var(&m.MaxOverruns, "max-overruns", noLimit, "exit with status 3 when more periods than this are missed")
	fs.Int64Var(&m.MaxLost, "max-lost", noLimit, "exit with status 3 when more than this is lost or unrecorded")
	fs.Var(m.Break.Value(), "break", "stop at the first sample above this, with status 3")
}

// Check says what is wrong with the flags' values, as a usage error.
func (m *Measure) Check() error {
	if m.Duration.Duration == 0 {
		m.Duration.Set = false // as Xenomai's -T 0
	}
	switch {
	case m.Duration.Set && m.Duration.Duration < time.Second:
		return Usagef("-T %s: at least one second", m.Duration.Duration)
	case m.Quiet && !m.Duration.Set && !m.Ends:
		return Usagef("-q needs -T: nothing would be printed until a signal")
	case m.Cells < 1 || m.Cells > 1_000_000:
		return Usagef("-H %d: from one to a million histogram cells", m.Cells)
	case m.Cell.Duration <= 0:
		return Usagef("-B %s: a cell is at least 1 ns wide", m.Cell.Duration)
	case m.Lines < 0:
		return Usagef("-l %d: a number of lines, 0 for no header", m.Lines)
	case !slices.Contains(format.Forms(), m.Form):
		return Usagef("--format %s: one of %s", m.Form, strings.Join(format.Forms(), ", "))
	case m.Append && (m.Output == "" || m.Output == "-"):
		return Usagef("--append needs -o FILE")
	case m.JSON && m.Output == "-":
		return Usagef("--json and -o - both want standard output")
	case m.Gnuplot == "-" && (m.JSON || m.Output == "-"):
		return Usagef("-g - wants standard output for itself beside the table")
	case m.Raw == "-":
		return Usagef("--raw -: samples go into a file only")
	}
	if err := m.checkFiles(); err != nil {
		return err
	}
	if _, err := m.syncEvery(); err != nil {
		return err
	}
	_, err := m.Limits()
	return err
}

// checkFiles says which file has no name, as that of an unset variable has, or
// would be written twice.
func (m *Measure) checkFiles() error {
	seen := map[string]string{}
	for _, f := range []struct{ flag, path string }{{"output", m.Output}, {"raw", m.Raw}, {"gnuplot", m.Gnuplot}} {
		switch {
		case f.path == "" && m.set.Changed(f.flag):
			return Usagef("--%s: the name of the file is empty", f.flag)
		case f.path == "" || f.path == "-":
			continue
		}
		path := filepath.Clean(f.path)
		if other := seen[path]; other != "" && !strings.HasPrefix(path, "/dev/") {
			return Usagef("--%s and --%s: both would write %s", other, f.flag, f.path)
		}
		seen[path] = f.flag
	}
	return nil
}

// Limits are the gates that were asked for.
func (m *Measure) Limits() (results.Limits, error) {
	l := results.Limits{What: m.What, Max: m.Max.Duration, Break: m.Break.Duration}
	switch {
	case m.Max.Set && m.Max.Duration <= 0:
		return l, Usagef("--max %s: a latency above zero", m.Max.Duration)
	case m.Break.Set && m.Break.Duration <= 0:
		return l, Usagef("--break %s: a latency above zero", m.Break.Duration)
	case m.MaxOverruns < noLimit:
		return l, Usagef("--max-overruns %d: a number from 0", m.MaxOverruns)
	case m.MaxLost < noLimit:
		return l, Usagef("--max-lost %d: a number from 0", m.MaxLost)
	}
	if m.MaxOverruns >= 0 {
		l.MaxOverruns = &m.MaxOverruns
	}
	if m.MaxLost >= 0 {
		l.MaxLost = &m.MaxLost
	}
	for _, text := range m.Percentiles {
		p, limit, err := parsePercentile(text)
		if err != nil {
			return l, err
		}
		l.Percentiles = append(l.Percentiles, results.PercentileLimit{Percentile: p, Limit: limit})
	}
	return l, nil
}

// parsePercentile takes 99.999=80us.
func parsePercentile(s string) (percentile float64, limit time.Duration, err error) {
	name, value, ok := strings.Cut(s, "=")
	percentile, err = strconv.ParseFloat(name, 64)
	if !ok || err != nil || !(percentile > 0 && percentile < 100) { // nor what is not a number
		return 0, 0, Usagef("--percentile %s: a percentile and its limit, such as 99.999=80us", s)
	}
	d := Duration{Unit: time.Microsecond}
	if err := d.parse(value); err != nil {
		return 0, 0, Usage(fmt.Errorf("--percentile %s: %w", s, err))
	}
	if d.Duration <= 0 {
		return 0, 0, Usagef("--percentile %s: a latency above zero", s)
	}
	return percentile, d.Duration, nil
}

// syncEvery is the least time between two syncs of the log, 0 for the end only.
func (m *Measure) syncEvery() (time.Duration, error) {
	if m.Sync == "end" {
		return 0, nil
	}
	d := Duration{Unit: time.Second}
	if err := d.parse(m.Sync); err != nil || d.Duration <= 0 {
		return 0, Usagef("--sync %s: a time such as 1s, or end", m.Sync)
	}
	return d.Duration, nil
}

// printing is how the printer shall print.
func (m *Measure) printing() format.Options {
	return format.Options{
		Lines: m.Lines, Quiet: m.Quiet, Histogram: m.Histogram, Stats: m.Stats,
		Cells: m.Cells, CellSize: m.Cell.Duration, JSON: m.JSON,
	}
}
