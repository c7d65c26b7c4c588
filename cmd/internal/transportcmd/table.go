package transportcmd

import (
	"fmt"
	"strings"

	"worstcase/results"
	"worstcase/results/render"
	"worstcase/transport"
)

// A cellTable has a row for each cell, with the columns of the CyberRT report
// (size, rate, CPU, latency, loss, memory), and beside its mean the figures that
// tell of the worst.
type cellTable struct {
	table     render.Table
	noTouch   bool
	roundTrip bool
}

func newTable(c *transport.Config) *cellTable {
	t := &cellTable{noTouch: c.NoTouch, roundTrip: c.RoundTrip}
	us := func(title string) render.Column {
		return render.Column{Title: title, Unit: "us", Scale: 1000, Precision: 1}
	}
	t.table.Columns = []render.Column{
		render.Words("transport"),
		{Title: "size"},
		{Title: "Hz"},
		render.Count("subs"),
		us("mean"), us("p50"), us("p99"), us("max"),
		us("response p99"),
	}
	if !c.NoTouch {
		t.table.Columns = append(t.table.Columns, us("fill p50"), us("read p50"))
	}
	if c.RoundTrip {
		t.table.Columns = append(t.table.Columns, us("round trip p50"), us("half"))
	}
	t.table.Columns = append(
		t.table.Columns,
		render.Column{Title: "lost", Unit: "%", Precision: 3},
		render.Column{Title: "CPU", Unit: "%", Precision: 2},
		render.Column{Title: "memory", Unit: "MiB", Scale: 1 << 20, Precision: 1},
		render.Words("note"),
	)
	t.notes(c)
	return t
}

// notes say what all rows share.
func (t *cellTable) notes(c *transport.Config) {
	policy := c.Policy.String()
	if c.Policy.Fixed() {
		policy += fmt.Sprintf(" %d", c.Priority)
	}
	cpus := "any"
	if len(c.CPUs) > 0 {
		var words []string
		for _, cpu := range c.CPUs {
			words = append(words, fmt.Sprint(cpu))
		}
		cpus = strings.Join(words, ",")
	}
	note := func(format string, args ...any) {
		t.table.Notes = append(t.table.Notes, fmt.Sprintf(format, args...))
	}
	note("mean to max: sending to receiving, by CLOCK_MONOTONIC; response: from the time at which the message was due.")
	note("%s on CPUs %s (publishers first, in turn); CPU and memory are those of both ends and the broker together.", policy, cpus)
	if t.noTouch {
		note("The payload was neither filled nor read: what moving it costs is not in this table.")
	}
}

// title names a cell on one line.
func title(c cell) string {
	s := fmt.Sprintf("%s, %s, %s Hz", name(c), transport.SizeName(c.Size), transport.RateName(c.Rate))
	if c.Rate < 0 {
		s = fmt.Sprintf("%s, %s, as fast as possible", name(c), transport.SizeName(c.Size))
	}
	if c.Subscribers > 1 {
		s += fmt.Sprintf(", %d subscribers", c.Subscribers)
	}
	if c.scenario != "" {
		s += " (" + c.scenario + ")"
	}
	return s
}

func name(c cell) string {
	if c.Transport.Name() == "shm" {
		return "shm+" + c.Notifier.String()
	}
	return c.Transport.Name()
}

// start is the columns that say which cell a row is.
func start(c cell) []render.Cell {
	rate := transport.RateName(c.Rate)
	if c.Rate < 0 {
		rate = "max"
	}
	return []render.Cell{
		render.Text(name(c)), render.Text(transport.SizeName(c.Size)), render.Text(rate), render.Number(float64(c.Subscribers)),
	}
}

// add adds the row of a run. The latencies are those of all subscribers
// together. Where the rate was not reached there is no latency to tell.
func (t *cellTable) add(c cell, run *results.Run) {
	service, response := run.Merged(transport.Service), run.Merged(transport.Response)
	fill, read := run.Merged(transport.Fill), run.Merged(transport.Read)
	after, saturated := run.End.After, run.Saturated()
	latency := func(tally *results.Tally, q float64) render.Cell {
		if saturated {
			return render.Text("SAT")
		}
		if q == 1 {
			return render.Known(float64(tally.Max), tally.Samples() > 0)
		}
		ns, known := tally.Quantile(q)
		return render.Known(float64(ns), known)
	}
	mean := render.Known(service.Mean(), service.Samples() > 0)
	if saturated {
		mean = render.Text("SAT")
	}
	row := append(start(c), mean,
		latency(service, 0.5), latency(service, 0.99), latency(service, 1), latency(response, 0.99))
	if !t.noTouch {
		row = append(row, median(fill), median(read))
	}
	if t.roundTrip {
		trip, known := run.Merged(transport.RoundTrip).Quantile(0.5)
		row = append(row, render.Known(float64(trip), known), render.Known(float64(trip)/2, known))
	}
	row = append(row, render.Number(after["loss_percent"]), render.Number(after["cpu_percent"]),
		render.Number(after["memory_bytes"]), render.Text(strings.Join(run.MessageNotes(), "; ")))
	t.table.Add(row...)
}

func median(t *results.Tally) render.Cell {
	ns, known := t.Quantile(0.5)
	return render.Known(float64(ns), known)
}

// refused adds the row of a cell that could not be measured.
func (t *cellTable) refused(c cell, err error) {
	row := start(c)
	for len(row) < len(t.table.Columns)-1 {
		row = append(row, render.Text("-"))
	}
	t.table.Add(append(row, render.Text(err.Error()))...)
}
