package importer

import (
	"bytes"

	"worstcase/results"
	"worstcase/results/foreign"
)

// readSwitchtest reads Xenomai's switchtest and EVL's hectic, which count the
// context switches of each second and have no latencies:
//
//	== Threads: sleeper_ufps0-0 rtk0-1 …
//	RTH|---------cpu|ctx switches|-------total
//	RTD|           0|       28811|       28811
//
// The count of a series is that of its switches.
func readSwitchtest(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &switchtest{draft: foreign.NewDraft("switchtest", "switchtest", len(text)), series: map[string]*switching{}}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		r.line(line)
	}
	if len(r.series) == 0 {
		return nil, foreign.ErrNoFigures
	}
	if r.broken > 0 {
		r.draft.Warn("%d registers were not preserved, or the processor lacks them", r.broken)
	}
	return []*foreign.Draft{r.draft}, nil
}

// A switchtest is such a text while it is read.
type switchtest struct {
	draft  *foreign.Draft
	series map[string]*switching // by CPU
	broken int                   // registers that a switch did not keep
	cells  [][]byte
}

func (r *switchtest) line(line []byte) {
	if threads, ok := bytes.CutPrefix(line, []byte("== Threads:")); ok {
		r.draft.Set("threads", len(bytes.Fields(threads)))
		return
	}
	if bytes.Contains(line, []byte(" != ")) {
		r.broken++
		return
	}
	r.cells = foreign.Cells(r.cells, line)
	if len(r.cells) != 4 || string(r.cells[0]) != "RTD" {
		return
	}
	n, err := foreign.ParseCount(r.cells[2])
	total, terr := foreign.ParseCount(r.cells[3])
	if err != nil || terr != nil {
		return
	}
	r.second(string(foreign.Clip(r.cells[1])), n, total)
}

// second takes what a CPU switched in a second, and since the start.
func (r *switchtest) second(cpu string, n, total int64) {
	s := r.series[cpu]
	if s == nil {
		s = &switching{Series: r.draft.Series(results.Labels{"cpu": cpu})}
		if !r.draft.Spend(200) {
			return
		}
		r.series[cpu] = s
	}
	s.rows++
	s.Count(total)
	iv := results.Interval{Series: s.ID, At: s.rows * 1e9, Seconds: 1}
	iv.Count = n
	iv.Missing = s.Tally.Missing
	r.draft.Interval(iv)
	r.draft.Seconds = max(r.draft.Seconds, float64(s.rows))
}

// A switching is one CPU's series.
type switching struct {
	*foreign.Series
	rows int64
}
