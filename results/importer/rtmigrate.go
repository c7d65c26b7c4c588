package importer

import (
	"strings"

	"worstcase/results"
	"worstcase/results/foreign"
)

// readRTMigrate reads the summary of rt-migrate-test: how long each task waited
// until it ran, by priority.
//
//	Task 0 (prio 2) (pid 11815):
//	  Max: 20162 us
func readRTMigrate(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	d := foreign.NewDraft("rt-migrate-test", "rt-migrate-test", len(text))
	var s *foreign.Series
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && d.Err() == nil; line, ok = lines.Next() {
		words := strings.Fields(string(line[:min(len(line), 160)]))
		switch {
		case len(words) > 3 && words[0] == "Task" && words[2] == "(prio":
			s = d.Series(results.Labels{"thread": words[1], "priority": strings.TrimSuffix(words[3], ")")})
		case len(words) != 3 || words[2] != "us" || s == nil:
		case words[0] == "Max:":
			tellUS(words[1], func(ns float64) { s.Max(int64(ns)) })
		case words[0] == "Min:":
			tellUS(words[1], func(ns float64) { s.Min(int64(ns)) })
		case words[0] == "Avg:":
			tellUS(words[1], s.Mean)
		}
	}
	if s == nil {
		return nil, foreign.ErrNoFigures
	}
	return []*foreign.Draft{d}, nil
}
