package transportcmd

import (
	"slices"

	"worstcase/cmd/internal/cli"
	"worstcase/transport"
)

// A cell is one run to be made, and what its row is called where it has a name.
type cell struct {
	transport.Config
	scenario string
}

// cells are those of the presets, or of the grid.
func (o *options) cells(env *cli.Env) ([]cell, error) {
	chosen, err := choose(env, o.names)
	if err != nil {
		return nil, err
	}
	if o.config.URL != "" {
		if len(chosen) != 1 {
			return nil, cli.Usagef("--url names the broker of one transport, not of %d", len(chosen))
		}
		if _, ok := chosen[0].(transport.Embedded); !ok {
			return nil, cli.Usagef("--url: %s has no broker", chosen[0].Name())
		}
	}
	var all []cell
	for _, points := range o.points() {
		for _, t := range chosen {
			for _, p := range points {
				for _, c := range o.spread(t, p) {
					if !slices.ContainsFunc(all, func(had cell) bool { return same(had, c) }) {
						all = append(all, c)
					}
				}
			}
		}
	}
	for i := range all {
		if all[i].Config, err = all[i].WithDefaults(); err != nil {
			return nil, cli.Usage(err)
		}
	}
	return all, nil
}

// same says that two cells would measure the same. Presets overlap.
func same(a, b cell) bool {
	return a.Transport.Name() == b.Transport.Name() && a.Size == b.Size && a.Rate == b.Rate &&
		a.Subscribers == b.Subscribers && a.Notifier == b.Notifier
}

// A point is a size and a rate, with the name that the CyberRT report gives it.
type point struct {
	size     int
	rate     float64
	scenario string
}

// points are the presets', a list each, or the grid's.
func (o *options) points() [][]point {
	var lists [][]point
	for _, name := range o.presets {
		lists = append(lists, presets()[name])
	}
	if len(lists) > 0 {
		return lists
	}
	var points []point
	for _, size := range o.grid.sizes {
		for _, rate := range o.grid.rates {
			points = append(points, point{size: size, rate: rate})
		}
	}
	return [][]point{points}
}

// presets are the cells of the performance report of CyberRT 10.0: its table,
// and its figures over size and over rate.
func presets() map[string][]point {
	const k, m = 1 << 10, 1 << 20
	sizes := []point{}
	for _, size := range []int{16, k, 64 * k, 256 * k, m, 5 * m, 10 * m} {
		sizes = append(sizes, point{size: size, rate: 100})
	}
	rates := []point{}
	for _, rate := range []float64{10, 20, 50, 100} {
		rates = append(rates, point{size: m, rate: rate})
	}
	return map[string][]point{
		"apollo": {
			{64 * k, 10, "functional module"},
			{64 * k, 100, "functional module, high rate"},
			{m, 10, "sensor"},
			{10 * m, 10, "high-end sensor"},
		},
		"sizes": sizes,
		"rates": rates,
	}
}

// spread makes the cells of one transport at one point: for each number of
// subscribers and, where there is a choice, each notifier.
func (o *options) spread(t transport.Transport, p point) []cell {
	notifiers := o.grid.notifiers
	if t.Name() != "shm" {
		notifiers = notifiers[:1]
	}
	var cells []cell
	for _, n := range notifiers {
		for _, subscribers := range o.grid.subscribers {
			c := cell{Config: o.config, scenario: p.scenario}
			c.Transport, c.Size, c.Rate, c.Notifier, c.Subscribers = t, p.size, p.rate, n, subscribers
			c.Duration = o.measure.Duration.Duration
			cells = append(cells, c)
		}
	}
	return cells
}
