package results

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limits are the gates of a run. The zero value has none.
type Limits struct {
	// What, where a run measures several things, is the label of the series that
	// are meant; empty for all. Series without such a label are always meant.
	What string
	// Max is the largest latency allowed, 0 for any.
	Max time.Duration
	// Percentiles are the largest latencies allowed at percentiles.
	Percentiles []PercentileLimit
	// MaxOverruns and MaxLost are the largest numbers allowed; nil allows any.
	// Samples that a full ring dropped count as lost.
	MaxOverruns *int64
	MaxLost     *int64
	// Break is the latency above which the run was to stop at once, 0 for none.
	Break time.Duration
}

// A PercentileLimit is the largest latency allowed at a percentile, such as
// 99.999.
type PercentileLimit struct {
	Percentile float64
	Limit      time.Duration
}

// The names of gates; that of a percentile follows its prefix.
const (
	gateMax         = "max"
	gatePercentile  = "percentile "
	gateMaxOverruns = "max-overruns"
	gateMaxLost     = "max-lost"
	gateBreak       = "break"
)

// Gates holds every series of end against l, series by series. A gate whose
// figure nobody knows, for want of samples, does not pass. A percentile is that
// of Tally.Quantile: it may read one part in 1,024 too high, never too low.
func (l Limits) Gates(end *End) []Gate {
	var gates []Gate
	for i := range end.Series {
		t := &end.Series[i]
		if what, ok := t.Labels["what"]; ok && l.What != "" && what != l.What {
			continue
		}
		for _, g := range l.list() {
			g.Series = t.ID
			gates = append(gates, g.held(&t.Tally))
		}
	}
	return gates
}

// list is the gates without series and value.
func (l Limits) list() []Gate {
	var list []Gate
	latency := func(name string, limit time.Duration) {
		list = append(list, Gate{Name: name, Limit: float64(limit), Unit: "ns"})
	}
	if l.Max > 0 {
		latency(gateMax, l.Max)
	}
	for _, p := range l.Percentiles {
		latency(gatePercentile+strconv.FormatFloat(p.Percentile, 'f', -1, 64), p.Limit)
	}
	if l.MaxOverruns != nil {
		list = append(list, Gate{Name: gateMaxOverruns, Limit: float64(*l.MaxOverruns)})
	}
	if l.MaxLost != nil {
		list = append(list, Gate{Name: gateMaxLost, Limit: float64(*l.MaxLost)})
	}
	if l.Break > 0 {
		latency(gateBreak, l.Break)
	}
	return list
}

// held returns g with the value that t has, and whether it holds.
func (g Gate) held(t *Tally) Gate {
	value, known := g.of(t)
	g.Value, g.Pass = value, known && value <= g.Limit
	return g
}

// of returns the figure of t that g limits.
func (g Gate) of(t *Tally) (value float64, known bool) {
	switch g.Name {
	case gateMax, gateBreak:
		return float64(t.Max), !t.Empty() && !t.Missing.Has(NoMax)
	case gateMaxOverruns:
		return float64(t.Overruns), !t.Missing.Has(NoOverruns)
	case gateMaxLost:
		return float64(t.Lost + t.Unrecorded), !t.Missing.Has(NoLost)
	}
	text, isPercentile := strings.CutPrefix(g.Name, gatePercentile)
	percent, err := strconv.ParseFloat(text, 64)
	if !isPercentile || err != nil {
		return 0, false
	}
	ns, known := t.Quantile(percent / 100)
	return float64(ns), known
}

// Allowed is the limit with its unit.
func (g Gate) Allowed() string { return g.figure(g.Limit) }

// Failure says why a gate that doesn't pass doesn't, such as "180 us is above
// 150 us".
func (g Gate) Failure() string {
	if g.Value <= g.Limit {
		return "not known, of " + g.Allowed() + " allowed"
	}
	return g.figure(g.Value) + " is above " + g.Allowed()
}

func (g Gate) figure(f float64) string {
	if g.Unit == "ns" {
		return fmt.Sprintf("%g us", f/1000)
	}
	return fmt.Sprintf("%g", f)
}
