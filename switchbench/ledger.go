package switchbench

import (
	"math"

	"worstcase/results"
	"worstcase/sampler"
	"worstcase/session"
)

// A ledger turns rows {due, value, round} into samples, and accounts for every
// period between them: rounds that are missing were sent and not received, so
// they are lost; periods without a round were missed by the waker.
type ledger struct {
	period int64 // 0 where no timer sends
	due    int64 // of the last row
	round  uint32
	left   int64 // samples still wanted, 0: without limit
	full   bool  // as many as wanted are measured
	closed bool
}

// done tells whether as many samples as wanted are measured.
func (g *ledger) done() bool { return g.full }

// take records a row.
func (g *ledger) take(rec *session.Recorder, row []int64) {
	due, value, round := row[0], row[1], uint32(row[2])
	if g.full {
		return
	}
	g.between(rec, due, int64(round-g.round-1))
	g.due, g.round = due, round
	if !rec.Measured(due) {
		return
	}
	rec.Sample(0, due, value, 0)
	g.count(1)
}

// count takes n samples from those wanted.
func (g *ledger) count(n int64) {
	if g.left > 0 {
		g.left = max(0, g.left-n)
		g.full = g.left == 0
	}
}

// between accounts for the periods after the last row and before due, of which
// lost were sent. Which of them they were nobody knows: at the ends of the
// measured time the lost ones are taken to lie within.
func (g *ledger) between(rec *session.Recorder, due, lost int64) {
	if g.period == 0 {
		return
	}
	var measured, last int64
	for at := g.due + g.period; at < due; at += g.period {
		if rec.Measured(at) {
			measured, last = measured+1, at
		}
	}
	if measured == 0 {
		return
	}
	lost = min(lost, measured)
	rec.Lost(0, last, lost)
	rec.Overruns(0, last, measured-lost)
}

// merge records samples that met a full ring. Extremes that the ring doesn't
// know anew lie within those of the samples dropped before.
func (g *ledger) merge(rec *session.Recorder, d *sampler.Dropped) {
	if g.full {
		return
	}
	due, value, round := d.Columns[0], d.Columns[1], d.Columns[2]
	mean := value.Sum / d.Rows
	t := results.Tally{Unrecorded: d.Rows, Sum: value.Sum, Min: mean, Max: mean, MaxAt: due.Max}
	if value.Min != math.MaxInt64 {
		t.Min = value.Min
	}
	if value.Max != math.MinInt64 {
		t.Max, t.MaxAt = value.Max, value.MaxAt
	}
	if g.period > 0 {
		sent := int64(uint32(round.Max) - g.round)
		t.Lost = sent - d.Rows
		t.Overruns = (due.Max-g.due)/g.period - sent
	}
	rec.Merge(0, g.due, due.Max, &t)
	g.due, g.round = due.Max, uint32(round.Max)
	g.count(d.Rows)
}

// close counts as lost what was sent after the last row, once the threads have
// ended.
func (g *ledger) close(rec *session.Recorder, h *hub) {
	if g.closed || g.full || g.period == 0 {
		return
	}
	g.closed = true
	if round, due := h.sent(); round != g.round {
		g.between(rec, due+g.period, int64(round-g.round))
	}
}
