package resultscmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/results"
	"worstcase/results/render"
)

// The layouts of the table subcommand.
const (
	layoutKernels = "kernels"
	layoutRTS     = "rts"
	layoutBoards  = "boards"
)

// A tabling is the table subcommand's options.
type tabling struct {
	output
	layout string
}

func tableCommand() subcommand {
	return subcommand{
		name: "table", args: "RUN…",
		about: "the table that people paste when they compare kernels",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			var t tabling
			fs.StringVar(&t.layout, "layout", layoutKernels, "kernels: a row a run; rts: RTS lines with labels behind;\nboards: a row a board model, worst first")
			t.register(fs)
			return t.run
		},
		help: `
Runs of one tool, period and load that follow each other make one table. Marks
such as (*) point at footnotes: what the kernel's configuration, command line
and modules have otherwise than in the first row. Latencies are in ns; ? was
not recorded.
` + statuses,
	}
}

func (t *tabling) run(_ context.Context, env *cli.Env, args []string) error {
	if !slices.Contains([]string{layoutKernels, layoutRTS, layoutBoards}, t.layout) {
		return cli.Usagef("--layout %q: kernels, rts or boards", t.layout)
	}
	if err := t.check(); err != nil {
		return err
	}
	runs, err := read(env, results.KeepTotals, args)
	if err != nil {
		return err
	}
	lists := listings(runs)
	if t.layout == layoutBoards {
		lists = boards(runs)
	}
	if t.json {
		return writeJSON(env.Stdout, documents(lists))
	}
	for i, l := range lists {
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		if err := t.write(env.Stdout, l); err != nil {
			return err
		}
	}
	return nil
}

func (t *tabling) write(w io.Writer, l *render.Listing) error {
	switch {
	case t.markdown:
		return l.Table().Markdown(w)
	case t.layout == layoutRTS:
		return l.RTS(w)
	}
	return l.Kernels(w)
}

// listings puts runs that follow each other into one table as long as the same
// was measured in the same way.
func listings(runs []*results.Run) []*render.Listing {
	alike := make([]results.SeriesInfo, len(runs))
	for i, r := range runs {
		alike[i].Labels = r.Alike()
	}
	cells := map[*results.Run]string{}
	for i, name := range results.Names(alike) {
		cells[runs[i]] = name
	}
	var lists []*render.Listing
	for len(runs) > 0 {
		n := 1
		for n < len(runs) && heading(runs[n]) == heading(runs[0]) {
			n++
		}
		lists = append(lists, listing(runs[:n], cells))
		runs = runs[n:]
	}
	return lists
}

// listing is one table. Cells tell what all series of a run have alike, and some
// other run has not.
func listing(runs []*results.Run, cells map[*results.Run]string) *render.Listing {
	l := open(runs[0])
	marks := footnotes(runs)
	for _, r := range runs {
		totals := r.Totals()
		infos := make([]results.SeriesInfo, len(totals))
		for i := range totals {
			infos[i] = totals[i].SeriesInfo
		}
		for i, name := range results.Names(infos) {
			label := strings.TrimSpace(strings.TrimSpace(labelOf(r)+" "+cells[r]) + " " + name)
			if mark := marks.of[r]; mark != "" && !strings.HasSuffix(label, mark) {
				label += " " + mark
			}
			l.Rows = append(l.Rows, l.Row(label, &totals[i].Tally, length(r)))
		}
	}
	l.Notes = marks.notes
	for _, r := range runs {
		if r.Truncated() {
			l.Notes = append(l.Notes, labelOf(r)+" was cut short")
		}
	}
	return l
}

// open starts the table that a run belongs to.
func open(r *results.Run) *render.Listing {
	h := heading(r)
	l := &render.Listing{Title: h.title, Counter: render.Overrun}
	if h.period > 0 {
		l.Preamble = fmt.Sprintf("== Sampling period: %g us", float64(h.period)/1000)
	}
	if h.tool == "switchbench" {
		l.Counter = render.Lost
	}
	return l
}

// A head is what all rows of one table have in common.
type head struct {
	tool, title string
	period      int64
}

// heading is the table's that a run belongs to. One that was imported has its
// own title, or none: whether there was a load nobody knows.
func heading(r *results.Run) head {
	period, _ := r.ConfigInt(results.ConfigPeriod)
	h := head{tool: r.Tool, title: r.ConfigText("title"), period: period}
	if h.title == "" && len(r.Host) > 0 && r.ConfigText("imported") == "" {
		name, load := r.Tool, "without load"
		if name == "switchbench" {
			name = "switch"
		}
		if l := r.ConfigText(results.ConfigLoad); l != "" {
			load = "with load " + l
		}
		h.title = strings.ToUpper(name) + " " + load
	}
	if h.title = strings.TrimSuffix(h.title, ":"); h.title != "" {
		h.title += ":"
	}
	return h
}

// labelOf names a run in a table, and says so when it wasn't real-time.
func labelOf(r *results.Run) string {
	label := cmp.Or(r.Label, r.Host["kernel.release"], r.Source)
	if policy := r.ConfigText(results.ConfigPolicy); policy == "SCHED_OTHER" {
		label += " " + policy
	}
	return label
}

func length(r *results.Run) time.Duration {
	return time.Duration(r.Seconds() * float64(time.Second))
}

// boards makes one table with a row a board model, that with the largest maximum
// first: all series of all its runs together.
func boards(runs []*results.Run) []*render.Listing {
	type board struct {
		model string
		all   results.Tally
		time  time.Duration
	}
	var list []*board
	for _, r := range runs {
		model := cmp.Or(r.Host["board.model"], r.Host["board.product"], r.Host["cpu.model"], "?")
		i := slices.IndexFunc(list, func(b *board) bool { return b.model == model })
		if i < 0 {
			i = len(list)
			list = append(list, &board{model: model})
		}
		for _, t := range r.Totals() {
			bare := t.Tally
			bare.Histogram = nil
			list[i].all.Add(&bare)
		}
		list[i].time += length(r)
	}
	slices.SortStableFunc(list, func(a, b *board) int { return cmp.Compare(b.all.Max, a.all.Max) })
	l := open(runs[0])
	for _, r := range runs {
		if heading(r) != heading(runs[0]) {
			l.Title, l.Preamble = "", ""
			l.Notes = []string{"the runs differ in tool, period or load"}
		}
	}
	for _, b := range list {
		l.Rows = append(l.Rows, l.Row(b.model, &b.all, b.time))
	}
	return []*render.Listing{l}
}
