package resultscmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/results"
	"worstcase/results/compare"
	"worstcase/results/render"
)

// A showing is the show subcommand's options.
type showing struct {
	output
	levels bool
	seed   uint64
}

func showCommand() subcommand {
	return subcommand{
		name: "show", args: "RUN…",
		about: "what a run holds, and what it is worth",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			var s showing
			fs.BoolVar(&s.levels, "levels", true, "return levels of maxima not met yet")
			fs.Uint64Var(&s.seed, "seed", 1, "of everything drawn at random")
			s.register(fs)
			return s.run
		},
		help: statuses,
	}
}

func (s *showing) run(_ context.Context, env *cli.Env, args []string) error {
	if err := s.check(); err != nil {
		return err
	}
	runs, err := read(env, results.KeepFigures, args)
	if err != nil {
		return err
	}
	return s.answer(env.Stdout, runs)
}

// answer writes the runs in the form asked for.
func (s *showing) answer(w io.Writer, runs []*results.Run) error {
	if s.json {
		return results.WriteDocument(w, runs...)
	}
	for i, r := range runs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.show(w, r); err != nil {
			return err
		}
	}
	return nil
}

// show writes the tables of one run, empty ones left out.
func (s *showing) show(w io.Writer, r *results.Run) error {
	tables := []*render.Table{render.Summary(r), contradictions(r), gates(r), spikes(r), stacks(r)}
	if s.levels {
		tables = append(tables, runLevels(r, s.seed))
	}
	tables = append(tables, changes(r), environment(r))
	first := true
	for _, t := range tables {
		if len(t.Rows) == 0 && len(t.Notes) == 0 {
			continue
		}
		if !first {
			fmt.Fprintln(w)
		}
		first = false
		if err := s.table(w, t); err != nil {
			return err
		}
	}
	return nil
}

// contradictions lists what in the figures can't be true.
func contradictions(r *results.Run) *render.Table {
	period, _ := r.ConfigInt(results.ConfigPeriod)
	t := &render.Table{Title: "the figures contradict themselves", Columns: []render.Column{render.Words("what")}}
	for _, c := range r.Check(time.Duration(period)) {
		t.Add(render.Text(c))
	}
	return t
}

func gates(r *results.Run) *render.Table {
	t := &render.Table{Title: "limits", Columns: []render.Column{
		render.Words("limit"), {Title: "series"}, render.Words("unit"), {Title: "allowed", Precision: 3}, {Title: "measured", Precision: 3}, render.Words(""),
	}}
	if r.End == nil {
		return t
	}
	for _, g := range r.End.Gates {
		scale, unit := 1.0, g.Unit
		if unit == "ns" {
			scale, unit = 1000, "us"
		}
		held := "held"
		if !g.Pass {
			held = "exceeded"
		}
		t.Add(render.Text(g.Name), render.Number(float64(g.Series)), render.Text(unit), render.Number(g.Limit/scale), render.Number(g.Value/scale), render.Text(held))
	}
	return t
}

// spikes lists the worst samples that were taken apart, worst first.
func spikes(r *results.Run) *render.Table {
	t := &render.Table{Title: "spikes", Columns: []render.Column{
		{Title: "series"}, {Title: "at", Unit: "s", Scale: 1e9, Precision: 3}, render.Latency("latency"), render.Words("stages us"), render.Words("blamed"),
	}}
	list := slices.SortedFunc(slices.Values(r.Spikes), func(a, b results.Spike) int { return cmp.Compare(b.Latency, a.Latency) })
	for i, s := range list {
		if i == 10 {
			t.Notes = append(t.Notes, fmt.Sprintf("and %d more: --json lists all", len(list)-i))
			break
		}
		var stages []string
		for _, name := range slices.Sorted(maps.Keys(s.Stages)) {
			stages = append(stages, fmt.Sprintf("%s %.3f", name, float64(s.Stages[name])/1000))
		}
		t.Add(render.Number(float64(s.Series)), render.Number(float64(s.At)), render.Number(float64(s.Latency)), render.Text(strings.Join(stages, ", ")), render.Text(s.Blamed))
	}
	return t
}

// stacks lists what ran when the timers of the worst samples came, worst first.
func stacks(r *results.Run) *render.Table {
	list := slices.SortedFunc(slices.Values(r.Spikes), func(a, b results.Spike) int { return cmp.Compare(b.Latency, a.Latency) })
	return render.Stacks(r.Series, list[:min(10, len(list))])
}

func runLevels(r *results.Run, seed uint64) *render.Table {
	t := levelsTable()
	t.Columns[0].Title = "series"
	totals := r.Totals()
	infos := make([]results.SeriesInfo, len(totals))
	for i := range totals {
		infos[i] = totals[i].SeriesInfo
	}
	for i, name := range results.Names(infos) {
		addLevels(t, name, compare.ExtremesOf([]*results.Run{r}, []int{totals[i].ID}, seed))
	}
	dropEmpty(t)
	return t
}

// changes lists what changed on the machine during the run.
func changes(r *results.Run) *render.Table {
	t := &render.Table{Title: "during the run", Columns: []render.Column{render.Words("figure"), {Title: "value"}}}
	if r.End == nil {
		return t
	}
	for _, key := range slices.Sorted(maps.Keys(r.End.After)) {
		if v := r.End.After[key]; v != 0 {
			t.Add(render.Text(key), render.Text(fmt.Sprintf("%.10g", v)))
		}
	}
	return t
}

// environment lists the configuration and the machine, long values cut; of the
// kernel's configuration only how many options are set. --json has all.
func environment(r *results.Run) *render.Table {
	t := &render.Table{Title: "environment", Columns: []render.Column{render.Words("fact"), render.Words("value")}}
	for _, key := range slices.Sorted(maps.Keys(r.Config)) {
		t.Add(render.Text("config."+key), render.Text(shorten(results.ConfigString(r.Config[key]))))
	}
	for _, key := range slices.Sorted(maps.Keys(r.Host)) {
		v := r.Host[key]
		if key == "kernel.config" {
			v = fmt.Sprintf("%d options", strings.Count(v, "\n")+1)
		}
		t.Add(render.Text(key), render.Text(shorten(v)))
	}
	return t
}
