package format

import (
	"io"
	"strings"

	"worstcase/results"
)

// gnuplot writes the cells as a data file for a plot with a logarithmic axis:
// comments, then for each cell from the first to the last with samples its
// middle in µs and its samples plus one, and one sample at both outer edges. An
// empty line separates series, as gnuplot's index wants two.
func (t *table) gnuplot(w io.Writer, total *results.Total, all *cells, seconds float64) {
	out := &lines{w: w, err: t.out.err}
	h, label := &t.header, t.series[total.ID].label
	if total.ID != t.shown[0] {
		out.printf("\n")
	}
	out.printf("# %s (%s)%s", hms(seconds), describe(t.form, h), label)
	l := layoutOf(Xenomai3, h.Tool)
	columns, _, _ := strings.Cut(l.head, "|---lat best")
	out.printf("# %s|", columns)
	out.printf("# %s|%s|", l.three(&total.Tally), l.counters(&total.Tally))
	if v := h.Host["xenomai.version"]; v != "" {
		out.printf("# Xenomai version: %s", v)
	}
	if h.Host["kernel.release"] != "" {
		out.printf("# Linux %s %s %s %s GNU/Linux", h.Host["kernel.hostname"], h.Host["kernel.release"],
			h.Host["kernel.version"], h.Host["kernel.machine"])
	}
	if v := h.Host["kernel.cmdline"]; v != "" {
		out.printf("# Kernel parameters: %s", v)
	}
	first, last := all.bounds()
	if first <= last {
		width := float64(all.width) / 1000
		out.printf("%g 1", float64(first)*width)
		for i := first; i <= last; i++ {
			out.printf("%g %d", (float64(i)+0.5)*width, all.hits[i]+1)
		}
		out.printf("%g 1", float64(last+1)*width)
	}
	t.out.err = out.err
}
