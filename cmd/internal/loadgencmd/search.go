package loadgencmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"worstcase/cmd/internal/cli"
	"worstcase/cmd/internal/loadflag"
	"worstcase/latency"
	"worstcase/loadgen"
	"worstcase/results"
	"worstcase/session"
)

// The measurement that ranks loads.
const (
	searchPercentile = 99.99
	searchDuration   = 3 * time.Second
	searchWarmUp     = 200 * time.Millisecond
)

// search ranks the loads and prints the ranking.
func search(ctx context.Context, env *cli.Env, o *options) error {
	var save io.WriteCloser
	made := false
	if o.saveProfile != "" {
		f, isNew, err := cli.Create(o.saveProfile)
		if err != nil {
			return err
		}
		defer f.Close()
		save, made = f, isNew
	}
	duration := o.duration
	if duration == 0 {
		duration = searchDuration
	}
	// Once: when measuring has begun, this process is kept off the measured CPU.
	config, err := latency.Config{}.WithDefaults()
	if err != nil {
		return err
	}
	s := loadgen.Search{
		Base: o.config, Rounds: o.rounds,
		Measure: func(ctx context.Context, c loadgen.Config) (float64, error) {
			return measure(ctx, env, config, c, duration)
		},
	}
	if !o.quiet {
		done, all := 0, s.Measurements()
		fmt.Fprintf(env.Stderr, "%d measurements of %s each, at least %s\n", all, duration, (time.Duration(all) * (duration + searchWarmUp)).Round(time.Second))
		s.Progress = func(name string, round int) {
			done++
			fmt.Fprintf(env.Stderr, "%d/%d %s, round %d\n", done, all, name, round)
		}
	}
	ranked, err := s.Run(ctx)
	if err == nil {
		err = printRanking(env.Stdout, ranked)
	}
	if err == nil && save != nil {
		err = saveRanking(save, ranked)
	}
	if err != nil && made {
		os.Remove(o.saveProfile)
	}
	return err
}

// measure runs latency under the load and returns its percentile in ns.
func measure(ctx context.Context, env *cli.Env, config latency.Config, c loadgen.Config, duration time.Duration) (float64, error) {
	run := &results.Run{Keep: results.KeepTotals}
	_, err := session.Run(ctx, session.Config{
		Header:   results.Header{Tool: "latency", Config: config.Record()},
		Duration: duration, WarmUp: searchWarmUp, Period: config.Period,
		Sinks: []results.Sink{run},
		Loads: []session.Load{loadflag.New(c, func(string) {})},
	}, latency.NewSource(config, env.Warn))
	if err != nil {
		return 0, err
	}
	total := run.End.Series[0]
	if total.Count == 0 {
		return 0, errors.New("no sample was taken")
	}
	return float64(total.Histogram.Quantile(searchPercentile / 100)), nil
}

// printRanking prints the loads, the worst first. A ~ says that nothing shows
// the load to be milder than the one above it. On a machine that was busy
// otherwise nothing may be shown at all.
func printRanking(w io.Writer, ranked []loadgen.Ranked) error {
	fmt.Fprintf(w, "# latency p%v in us, median of rounds; ~ not shown to be less than the line above\n", searchPercentile)
	if n := loadgen.AboveIdle(ranked); n > 0 {
		fmt.Fprintf(w, "# %d of %d loads hurt more than idle in every round\n", n, len(ranked)-1)
	} else {
		fmt.Fprintln(w, "# no load is shown to hurt more than idle: search while nothing else runs, or with more --rounds or a longer -T")
	}
	for i, r := range ranked {
		if r.Err != nil {
			fmt.Fprintf(w, "  -             -  %-20s %v\n", r.Name, r.Err)
			continue
		}
		mark := " "
		if r.Tied {
			mark = "~"
		}
		fmt.Fprintf(w, "%3d %s %10.1f  %-20s", i+1, mark, r.Median/1000, r.Name)
		for _, v := range r.Rounds {
			fmt.Fprintf(w, " %8.1f", v/1000)
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

// saveRanking writes the worst load as a profile, with the ranking as comments.
func saveRanking(w io.Writer, ranked []loadgen.Ranked) error {
	p, err := loadgen.Worst(ranked)
	if err != nil {
		return err
	}
	text, err := p.Format()
	if err != nil {
		return err
	}
	var table bytes.Buffer
	if err := printRanking(&table, ranked); err != nil {
		return err
	}
	for line := range bytes.Lines(table.Bytes()) {
		text = append(append(text, "# "...), bytes.TrimPrefix(line, []byte("# "))...)
	}
	_, err = w.Write(text)
	return err
}
