package traced

import (
	"fmt"
	"io"

	"worstcase/cmd/internal/cli"
	"worstcase/klatency"
	"worstcase/results"
	"worstcase/results/render"
)

// Print prints the tables that the flags ask for after the run of src, unless
// standard output is taken by another form.
func (f *Flags) Print(recording *cli.Recording, w io.Writer, src *klatency.Source) error {
	if !recording.Table() {
		return nil
	}
	series := src.Series()
	if f.Stages {
		for i, account := range src.Accounts() {
			if err := below(w, stages(series[i], &account, len(series) > 1)); err != nil {
				return err
			}
		}
	}
	if spikes := src.Spikes(); len(spikes) > 0 {
		if err := below(w, worst(series, spikes)); err != nil {
			return err
		}
	}
	return PrintStacks(recording, w, series, src.Spikes())
}

// WorstStacks is of how many wake-ups at most stacks are recorded and printed.
const WorstStacks = 10

// PrintStacks prints the stacks of the spikes that have one, unless standard
// output is taken by another form.
func PrintStacks(recording *cli.Recording, w io.Writer, series []results.SeriesInfo, spikes []results.Spike) error {
	t := render.Stacks(series, spikes)
	if !recording.Table() || len(t.Rows) == 0 {
		return nil
	}
	return below(w, t)
}

// below writes a table with an empty line above it.
func below(w io.Writer, t *render.Table) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return t.Text(w)
}

// stages is the table of what each stage took.
func stages(info results.SeriesInfo, a *klatency.Account, named bool) *render.Table {
	t := &render.Table{
		Title: fmt.Sprintf("Stages of %d wake-ups", a.Count),
		Columns: []render.Column{
			render.Words("stage"), render.Latency("min"), render.Latency("mean"), render.Latency("p99"), render.Latency("max"),
			render.Latency("in the worst"),
		},
		Notes: []string{"in the worst: mean of the ten longest wake-ups"},
	}
	if named {
		t.Title += " on CPU" + info.Labels["cpu"]
	}
	for s := range klatency.Stages {
		f := a.Figure(s)
		t.Add(render.Text(s.String()), render.Number(float64(f.Min)), render.Number(f.Mean),
			render.Number(float64(f.P99)), render.Number(float64(f.Max)), render.Number(f.Worst))
	}
	if a.Alone > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d more wake-ups were not seen whole: the thread had not slept, or the kernel keeps what ran from being traced", a.Alone))
	}
	return t
}

// worst is the table of the longest wake-ups. Stages that took no time in any
// of them are left out.
func worst(series []results.SeriesInfo, spikes []results.Spike) *render.Table {
	t := &render.Table{
		Title:   "Worst wake-ups",
		Columns: []render.Column{{Title: "at", Unit: "s", Scale: 1e9, Precision: 6}, render.Words("cpu"), render.Latency("latency")},
	}
	var shown []klatency.Stage
	for s := range klatency.Stages {
		for _, spike := range spikes {
			if spike.Stages[s.Key()] > 0 {
				shown = append(shown, s)
				t.Columns = append(t.Columns, render.Latency(s.String()))
				break
			}
		}
	}
	t.Columns = append(t.Columns, render.Words("to blame"))
	for _, spike := range spikes {
		cells := []render.Cell{
			render.Number(float64(spike.At)), render.Text(series[spike.Series].Labels["cpu"]), render.Number(float64(spike.Latency)),
		}
		for _, s := range shown {
			cells = append(cells, render.Number(float64(spike.Stages[s.Key()])))
		}
		blamed := spike.Blamed
		if blamed == "" {
			blamed = "nobody"
		}
		t.Add(append(cells, render.Text(blamed))...)
	}
	return t
}
