package format

import (
	"fmt"
	"math"

	"worstcase/results"
)

// A layout is what the tables of the Xenomai family differ in.
type layout struct {
	head  string // the columns of RTH
	rule  string // the line above RTS
	width int    // of a latency
	nanos bool   // latencies in whole ns, not in µs with three decimals
	extra int    // the column after overruns: none, or
	bare  bool   // RTT has no bracket
}

// What stands after the overruns.
const (
	extraNone = iota
	extraSwitches
	extraLost
)

const (
	narrowRule = "---|-----------|-----------|-----------|--------|------|-------------------------"
	wideRule   = "---|------------|------------|------------|--------|-------------------------"
	wideHead   = "-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst"
)

// layoutOf returns the layout of a tool's table in a form.
func layoutOf(form, tool string) layout {
	switch {
	case tool == "transport":
		return layout{
			head: "----lat min|----lat avg|----lat max|-overrun|--lost|---lat best|--lat worst",
			rule: narrowRule, width: 11, extra: extraLost,
		}
	case form == Xenomai20 && tool == "klatency":
		return layout{
			head: "----klat min|----klat avg|----klat max| overrun|---klat best|--klat worst",
			rule: wideRule, width: 12, nanos: true, bare: true,
		}
	case form == Xenomai20:
		return layout{head: wideHead, rule: wideRule, width: 12, nanos: true, bare: true}
	case form == Xenomai2:
		return layout{head: wideHead, rule: wideRule, width: 12}
	}
	return layout{
		head: "----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst",
		rule: narrowRule, width: 11, extra: extraSwitches,
	}
}

// latency writes ns in the layout's unit and width. What is not known is "?".
func (l *layout) latency(ns float64, known bool) string {
	switch {
	case !known:
		return fmt.Sprintf("%*s", l.width, "?")
	case l.nanos:
		return fmt.Sprintf("%*d", l.width, int64(math.Round(ns)))
	}
	return fmt.Sprintf("%*.3f", l.width, ns/1000)
}

// three writes minimum, mean and maximum.
func (l *layout) three(t *results.Tally) string {
	known := func(figure results.Missing) bool { return !t.Empty() && !t.Missing.Has(figure) }
	return l.latency(float64(t.Min), known(results.NoMin)) + "|" +
		l.latency(t.Mean(), known(results.NoMean)) + "|" +
		l.latency(float64(t.Max), known(results.NoMax))
}

// counters writes the columns from overruns to before the best: overruns, and
// mode switches or losses.
func (l *layout) counters(t *results.Tally) string {
	s := count(8, t.Overruns, !t.Missing.Has(results.NoOverruns))
	switch l.extra {
	case extraSwitches:
		s += "|" + count(6, t.Switches, true)
	case extraLost:
		s += "|" + count(6, t.Lost, !t.Missing.Has(results.NoLost))
	}
	return s
}

func count(width int, n int64, known bool) string {
	if !known {
		return fmt.Sprintf("%*s", width, "?")
	}
	return fmt.Sprintf("%*d", width, n)
}
