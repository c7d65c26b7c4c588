package render

import (
	"slices"

	"worstcase/results"
)

// Stacks lists what ran when the timers of some spikes came, as far as the
// kernel told: a row for each function, the innermost first. Spikes, the worst of
// which stands first, are counted together where they have the same stack. It
// has no rows when none has one.
func Stacks(series []results.SeriesInfo, spikes []results.Spike) *Table {
	t := &Table{
		Title:   "What the timer's interrupt met",
		Columns: []Column{{Title: "at", Unit: "s", Scale: 1e9, Precision: 6}, Words("cpu"), Latency("latency"), Count("n"), Words("stack")},
	}
	var shown []results.Spike
	for _, spike := range spikes {
		same := func(o results.Spike) bool { return o.Series == spike.Series && slices.Equal(o.Stack, spike.Stack) }
		if len(spike.Stack) == 0 || slices.ContainsFunc(shown, same) {
			continue
		}
		shown = append(shown, spike)
		n := 0
		for _, o := range spikes {
			if same(o) {
				n++
			}
		}
		t.Add(Number(float64(spike.At)), Text(cpuOf(series, spike.Series)), Number(float64(spike.Latency)), Number(float64(n)), Text(spike.Stack[0]))
		for _, function := range spike.Stack[1:] {
			t.Add(Text(""), Text(""), Text(""), Text(""), Text(function))
		}
	}
	return t
}

func cpuOf(series []results.SeriesInfo, id int) string {
	for _, s := range series {
		if s.ID == id {
			return s.Labels["cpu"]
		}
	}
	return ""
}
