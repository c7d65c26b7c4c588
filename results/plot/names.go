package plot

import (
	"fmt"
	"maps"
	"slices"

	"worstcase/results"
)

// RunNames are short names that tell the runs apart: their labels; of several
// runs with one label also what all series of a run have alike and the runs
// have not, such as a transport's size; else their number.
func RunNames(runs []*results.Run) []string {
	names := make([]string, len(runs))
	byLabel := map[string][]int{}
	for i, r := range runs {
		if names[i] = r.Label; names[i] == "" {
			names[i] = "run"
		}
		byLabel[r.Label] = append(byLabel[r.Label], i)
	}
	for _, alike := range byLabel {
		if len(alike) < 2 {
			continue
		}
		infos := make([]results.SeriesInfo, len(alike))
		for k, i := range alike {
			infos[k] = results.SeriesInfo{ID: i, Labels: common(runs[i])}
		}
		cells := results.Names(infos)
		sorted := slices.Sorted(slices.Values(cells))
		distinct := sorted[0] != "" && len(slices.Compact(sorted)) == len(alike)
		for k, i := range alike {
			if distinct {
				names[i] += ", " + cells[k]
			} else {
				names[i] = fmt.Sprintf("%s #%d", names[i], k+1)
			}
		}
	}
	return names
}

// common are the labels that all series of a run have alike.
func common(r *results.Run) results.Labels {
	totals := r.Totals()
	if len(totals) == 0 {
		return nil
	}
	labels := maps.Clone(totals[0].Labels)
	for _, t := range totals {
		maps.DeleteFunc(labels, func(k, v string) bool { return t.Labels[k] != v })
	}
	return labels
}
