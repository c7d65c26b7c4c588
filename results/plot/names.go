package plot

import (
	"fmt"

	"worstcase/results"
)

// groupNames name what runs are runs of: their label; of several runs with one
// label also what all series of a run have alike and the other runs have not,
// such as a transport's size. Runs of one thing have one name.
func groupNames(runs []*results.Run) []string {
	names := make([]string, len(runs))
	byLabel := map[string][]int{}
	for i, r := range runs {
		if names[i] = r.Label; names[i] == "" {
			names[i] = "run"
		}
		byLabel[r.Label] = append(byLabel[r.Label], i)
	}
	for _, alike := range byLabel {
		infos := make([]results.SeriesInfo, len(alike))
		for k, i := range alike {
			infos[k] = results.SeriesInfo{ID: i, Labels: runs[i].Alike()}
		}
		for k, cell := range results.Names(infos) {
			if cell != "" {
				names[alike[k]] += ", " + cell
			}
		}
	}
	return names
}

// RunNames are short names that tell the runs apart: what they are runs of,
// and their number where there are several of one thing.
func RunNames(runs []*results.Run) []string {
	names := groupNames(runs)
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	seen := map[string]int{}
	for i, n := range names {
		if seen[n]++; count[n] > 1 {
			names[i] = fmt.Sprintf("%s #%d", n, seen[n])
		}
	}
	return names
}
