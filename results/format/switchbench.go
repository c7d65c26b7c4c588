package format

import (
	"worstcase/results"
)

// switchbench prints the table of Xenomai's switchbench, one line for the whole
// run: its header, min, mean, max and lost pulses, then the histogram.
func (t *table) switchbench(totals []results.Total) {
	t.out.printf("RTH|     lat min|     lat avg|     lat max|        lost")
	for i := range totals {
		total := &totals[i]
		t.out.printf("RTD|%s|%s%s", t.layout.three(&total.Tally),
			count(12, total.Lost, !total.Missing.Has(results.NoLost)), t.series[total.ID].label)
	}
	if !t.options.Histogram && !t.options.Stats {
		return
	}
	for i := range totals {
		total := &totals[i]
		label := t.series[total.ID].label
		all := newCells(t.options)
		if total.Histogram != nil {
			all.addAll(total.Histogram)
		}
		if t.options.Histogram {
			t.out.printf("---|---range-|---samples%s", label)
			for i, n := range all.hits {
				if n > 0 {
					t.out.printf("HSD| %3d -%3d | %8d%s", i, i+1, n, label)
				}
			}
		}
		n, mean, deviation := all.stats()
		t.out.printf("HSH|--samples-|--average--|---stddev--%s", label)
		t.out.printf("HSS| %9d| %s| %s%s", n, decimals(mean), decimals(deviation), label)
	}
}
