package compare

import (
	"slices"

	"worstcase/results"
)

// Cells is Compare for sides whose runs measured several things, as a set of
// transports, sizes and rates does: those runs are compared that measured the
// same, cell by cell, in the order of a's. A cell is known by the labels that all
// series of its runs share. Cells that only one side has are named in the first
// answer's notes. Alpha holds for all the answers together. Sides of one cell, or
// without a common one, are compared as they are.
func Cells(a, b Side, o Options) ([]*Comparison, error) {
	var common []subject
	var infos []results.SeriesInfo
	var left []string
	all := cellsOf(a.Runs, b.Runs)
	for _, c := range all {
		if len(c.a) > 0 && len(c.b) > 0 {
			common = append(common, c)
			infos = append(infos, results.SeriesInfo{Labels: c.labels})
		} else {
			left = append(left, seriesKey(c.labels))
		}
	}
	if len(all) == 1 || len(common) == 0 {
		c, err := Compare(a, b, o)
		return []*Comparison{c}, err
	}
	if o.Alpha == 0 {
		o.Alpha = defaultAlpha
	}
	o.Alpha /= float64(len(common))
	var answers []*Comparison
	for i, name := range results.Names(infos) {
		a.Runs, b.Runs = common[i].a, common[i].b
		c, err := Compare(a, b, o)
		if err != nil {
			return nil, err
		}
		c.Cell = name
		answers = append(answers, c)
	}
	if len(left) > 0 {
		answers[0].Notes = append(answers[0].Notes, "cells left out, not on both sides: "+list(left, 4))
	}
	return answers, nil
}

// A subject is what the runs of both sides measured alike.
type subject struct {
	labels results.Labels
	a, b   []*results.Run
}

// cellsOf sorts the runs of both sides by the labels of their cells.
func cellsOf(a, b []*results.Run) []subject {
	var cells []subject
	at := func(r *results.Run) *subject {
		labels := r.Alike()
		i := slices.IndexFunc(cells, func(c subject) bool { return seriesKey(c.labels) == seriesKey(labels) })
		if i < 0 {
			i = len(cells)
			cells = append(cells, subject{labels: labels})
		}
		return &cells[i]
	}
	for _, r := range a {
		c := at(r)
		c.a = append(c.a, r)
	}
	for _, r := range b {
		c := at(r)
		c.b = append(c.b, r)
	}
	return cells
}
