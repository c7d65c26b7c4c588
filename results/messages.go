package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Merged adds up the series of a run that measured the same, by their label
// "what": those of all subscribers of a transport, for one.
func (r *Run) Merged(what string) *Tally {
	var sum Tally
	totals := r.Totals()
	for i := range totals {
		if totals[i].Labels["what"] == what {
			sum.Add(&totals[i].Tally)
		}
	}
	return &sum
}

// Saturated reports whether the messages of a transport's run did not come at
// the rate that they should have: its latencies then say nothing.
func (r *Run) Saturated() bool { return r.End != nil && r.End.After["saturated"] > 0 }

// MessageNotes are what makes a transport's run worth less than another, or
// different: the scenario that it is named after, its load, the rate where that
// is no given one, what did not come as it should, an early end, and the
// verdict.
func (r *Run) MessageNotes() []string {
	var list []string
	if scenario := r.ConfigText("scenario"); scenario != "" {
		list = append(list, scenario)
	}
	if load := r.ConfigText(ConfigLoad); load != "" {
		list = append(list, "under "+load)
	}
	if r.End == nil {
		return append(list, "cut short")
	}
	after := r.End.After
	if rate, ok := r.ConfigInt(ConfigRate); r.Saturated() || ok && rate == 0 && after["rate_hz"] > 0 {
		list = append(list, fmt.Sprintf("%.0f/s reached", after["rate_hz"]))
	}
	for _, key := range []string{"corrupt", "duplicates", "reordered", "late"} {
		if n := after[key]; n > 0 {
			list = append(list, fmt.Sprintf("%.0f %s", n, key))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if cause, ok := strings.CutPrefix(key, "drops."); ok {
			list = append(list, fmt.Sprintf("%.0f by %s", after[key], cause))
		}
	}
	if r.End.Reason == "signal" {
		list = append(list, "interrupted")
	}
	if r.Config["managed"] == true {
		list = append(list, "with garbage collector")
	}
	if v := r.End.Verdict; v != Pass {
		list = append(list, string(v))
	}
	return list
}
