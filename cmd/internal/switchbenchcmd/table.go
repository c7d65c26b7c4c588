package switchbenchcmd

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"worstcase/cmd/internal/loadflag"
	"worstcase/internal/remedy"
	"worstcase/results"
	"worstcase/results/render"
	"worstcase/switchbench"
)

// A cellTable has a row for each run.
type cellTable struct {
	table render.Table
	ring  bool
	loads bool // rows name their load
	// alone is the median hop of a thread alone, in ns, by what it was measured
	// with.
	alone map[string]float64
}

func newTable(cells []switchbench.Config, loads bool) *cellTable {
	t := &cellTable{ring: true, loads: loads, alone: map[string]float64{}}
	for _, c := range cells {
		t.ring = t.ring && c.Measure == switchbench.Ring
	}
	c := &t.table
	if loads {
		c.Columns = append(c.Columns, render.Words("load"))
	}
	c.Columns = append(c.Columns, render.Words("mechanism"), render.Words("between"))
	if t.ring {
		c.Columns = append(c.Columns, render.Count("threads"), render.Words("set"))
	}
	c.Columns = append(
		c.Columns, render.Count("samples"), render.Latency("lat min"), render.Latency("lat avg"), render.Latency("lat max"),
		render.Latency("p50"), render.Latency("p99"), render.Latency("p99.9"),
	)
	if t.ring {
		c.Columns = append(c.Columns, render.Latency("switch"))
	} else {
		c.Columns = append(c.Columns, render.Count("lost"), render.Count("overruns"))
	}
	c.Columns = append(c.Columns, render.Words("note"))
	t.notes(cells)
	return t
}

// notes say what a figure is the time of, for each measure that there is.
func (t *cellTable) notes(cells []switchbench.Config) {
	told := map[string]bool{}
	note := func(text string) {
		if !told[text] {
			told[text] = true
			t.table.Notes = append(t.table.Notes, text)
		}
	}
	for _, c := range cells {
		switch {
		case c.Measure == switchbench.Ring && c.Mechanism == switchbench.Yield && !t.ring:
			note("yield: half a round of two threads of equal priority that call sched_yield in turn, with no timer in it.")
		case c.Measure == switchbench.Ring:
			note("a figure is a round divided by its threads: signal, switch, touch of the working set.")
			note("switch: the median without that of a thread alone that signals to itself and touches as much.")
		case c.Mechanism == switchbench.Deadline:
			note("deadline: two SCHED_DEADLINE threads on any CPU, by futex, a quarter of each period reserved for either.")
		default:
			note(c.Interval() + ".")
		}
	}
	c := cells[0]
	where := c.Policy.String()
	if c.Policy.Fixed() {
		where += fmt.Sprintf(" %d", c.Priority)
		if c.Measure == switchbench.HandOver {
			where += ", the waiter " + map[switchbench.Case]string{
				switchbench.Below: "one below", switchbench.Above: "at it and the waker one below", switchbench.Equal: "the same",
			}[c.Case]
		}
	}
	note(fmt.Sprintf("%s, on cpu %s; lost pulses are in no other figure.", where, cpus(c)))
}

func cpus(c switchbench.Config) string {
	var words []string
	for _, cpu := range c.CPUs {
		words = append(words, fmt.Sprint(cpu))
	}
	return strings.Join(words, ",")
}

// title names a cell on one line.
func title(c switchbench.Config) string {
	s := fmt.Sprintf("%s between %s", c.Mechanism, c.Space())
	if c.Measure == switchbench.Ring {
		s += fmt.Sprintf(", %d in a ring, %s each", c.Threads, size(c.WorkingSet))
	}
	return s
}

func size(n int) string {
	if n == 0 {
		return "0"
	}
	s := loadflag.Size(n)
	return s.String()
}

// start is the columns that say which cell a row is, and under which load.
func (t *cellTable) start(c switchbench.Config, load string) []render.Cell {
	var row []render.Cell
	if t.loads {
		row = append(row, render.Text(load))
	}
	row = append(row, render.Text(string(c.Mechanism)), render.Text(c.Space()))
	if t.ring {
		row = append(row, render.Number(float64(c.Threads)), render.Text(size(c.WorkingSet)))
	}
	return row
}

// add adds the row of a run.
func (t *cellTable) add(c switchbench.Config, load string, run *results.Run) {
	total := run.Totals()[0]
	known := !total.Empty()
	quantile := func(q float64) render.Cell {
		ns, ok := total.Quantile(q)
		return render.Known(float64(ns), ok)
	}
	row := append(
		t.start(c, load), render.Number(float64(total.Samples())),
		render.Known(float64(total.Min), known), render.Known(total.Mean(), known), render.Known(float64(total.Max), known),
		quantile(0.5), quantile(0.99), quantile(0.999),
	)
	if t.ring {
		row = append(row, t.bare(c, load, &total.Tally))
	} else {
		row = append(row, render.Number(float64(total.Lost)), render.Number(float64(total.Overruns)))
	}
	t.table.Add(append(row, render.Text(remarks(c, run)))...)
}

// bare is the median hop without what a thread alone needs for it, unknown where
// the switch drowns in the noise of the touching.
func (t *cellTable) bare(c switchbench.Config, load string, total *results.Tally) render.Cell {
	p50, ok := total.Quantile(0.5)
	key := fmt.Sprint(load, c.Mechanism, c.Processes, c.WorkingSet)
	if c.Threads == 1 {
		t.alone[key] = float64(p50)
		return render.Text("-")
	}
	alone, had := t.alone[key]
	bare := float64(p50) - alone
	return render.Known(bare, ok && had && bare > 0)
}

// remarks are what makes a row worth less.
func remarks(c switchbench.Config, run *results.Run) string {
	var list []string
	if c.Measure == switchbench.PingPong {
		list = append(list, "round trip, half of it is a switch")
	}
	total := run.Totals()[0]
	if total.Unrecorded > 0 {
		list = append(list, fmt.Sprintf("%d unrecorded", total.Unrecorded))
	}
	if v := run.End.Verdict; v != results.Pass {
		list = append(list, string(v))
	}
	return strings.Join(list, "; ")
}

// refused adds the row of a cell that could not be measured, with the reason.
func (t *cellTable) refused(c switchbench.Config, load string, err error) {
	row := t.start(c, load)
	for len(row) < len(t.table.Columns)-1 {
		row = append(row, render.Text("-"))
	}
	note := err.Error()
	if errors.Is(err, remedy.ErrUnavailable) {
		note = "not permitted: " + note
	}
	if hint := remedy.Of(err); hint != "" {
		note += "; " + hint
	}
	t.table.Add(append(row, render.Text(note))...)
}

// Text and Markdown write the table.
func (t *cellTable) Text(w io.Writer) error { return t.table.Text(w) }

func (t *cellTable) Markdown(w io.Writer) error { return t.table.Markdown(w) }
