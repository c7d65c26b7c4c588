package resultscmd

import (
	"fmt"

	"worstcase/results/compare"
	"worstcase/results/render"
)

// levelsTable has a row for every return level.
func levelsTable() *render.Table {
	return &render.Table{Title: "return levels: passed once in so long, on average", Columns: []render.Column{
		render.Words("run"), render.Words("once in"), render.Latency("level"), render.Words("95 % interval us"),
	}}
}

// addLevels adds the levels of one series, or a note why there are none.
func addLevels(t *render.Table, name string, e *compare.Extremes) {
	note := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if name != "" {
			text = name + ": " + text
		}
		t.Notes = append(t.Notes, text)
	}
	if e.Refusal != "" {
		note("no return levels: %s", e.Refusal)
		return
	}
	for _, l := range e.Levels {
		if l.Refusal != "" {
			note("not once in %s: %s", l.Name, l.Refusal)
			continue
		}
		t.Add(render.Text(name), render.Text(l.Name), render.Number(l.Level), render.Text(span(l.Range, 1000, 3)))
	}
	note("%d maxima of %.3g s, shape %.2f", e.Blocks, e.Block, e.GEV.Shape)
}
