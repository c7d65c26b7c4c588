package format

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"worstcase/results"
)

// A family is one metric family of OpenMetrics with its samples.
type family struct {
	name, kind, unit, help string
	// samples writes those of one series, whose labels begin and end without
	// braces.
	samples func(w io.Writer, name, labels string, t *results.Total, s *results.Summary)
}

// writeOpenMetrics writes the totals of runs as OpenMetrics 1.0 text, in base
// units. Figures that are not known have no sample.
func writeOpenMetrics(w io.Writer, runs []*results.Run) error {
	out := bufio.NewWriter(w)
	for _, f := range families() {
		fmt.Fprintf(out, "# TYPE %s %s\n", f.name, f.kind)
		if f.unit != "" {
			fmt.Fprintf(out, "# UNIT %s %s\n", f.name, f.unit)
		}
		fmt.Fprintf(out, "# HELP %s %s\n", f.name, f.help)
		for i, r := range runs {
			for k := range r.Totals() {
				t := &r.Totals()[k]
				s := t.Summary()
				f.samples(out, f.name, metricLabels(r, t.Labels, i, len(runs)), t, &s)
			}
		}
	}
	fmt.Fprintln(out, "# EOF")
	return out.Flush()
}

func families() []family {
	return []family{
		{"worstcase_latency_seconds", "histogram", "seconds", "Latencies of the whole run.", histogramSamples},
		{"worstcase_latency_min_seconds", "gauge", "seconds", "Least latency of the run.", gauge(func(s *results.Summary) (float64, results.Missing) { return float64(s.Min), results.NoMin })},
		{"worstcase_latency_mean_seconds", "gauge", "seconds", "Mean latency of the run.", gauge(func(s *results.Summary) (float64, results.Missing) { return s.Mean, results.NoMean })},
		{"worstcase_latency_max_seconds", "gauge", "seconds", "Largest latency of the run.", gauge(func(s *results.Summary) (float64, results.Missing) { return float64(s.Max), results.NoMax })},
		{"worstcase_latency_quantile_seconds", "gauge", "seconds", "Quantiles of the run's latencies.", quantileSamples},
		{"worstcase_overruns", "counter", "", "Periods missed.", counter(func(s *results.Summary) (int64, results.Missing) { return s.Overruns, results.NoOverruns })},
		{"worstcase_lost", "counter", "", "Pulses or messages lost.", counter(func(s *results.Summary) (int64, results.Missing) { return s.Lost, results.NoLost })},
	}
}

// metricLabels are the labels of a series' samples: those of the run, then its
// own, each under a name that OpenMetrics allows. With several runs each is
// numbered, since two may have one label.
func metricLabels(r *results.Run, own results.Labels, number, runs int) string {
	list := []string{metricLabel("tool", r.Tool), metricLabel("run", r.Label)}
	if runs > 1 {
		list = append(list, metricLabel("number", strconv.Itoa(number)))
	}
	names := make([]string, 0, len(own))
	for name := range own {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list = append(list, metricLabel("series_"+name, own[name]))
	}
	return strings.Join(list, ",")
}

func metricLabel(name, value string) string {
	name = strings.Map(func(c rune) rune {
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			return c
		}
		return '_'
	}, name)
	value = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value)
	return name + `="` + value + `"`
}

// seconds writes ns in seconds.
func seconds(ns float64) string { return strconv.FormatFloat(ns/1e9, 'g', -1, 64) }

// histogramSamples writes cumulative buckets, three a decade from 100 ns to 1 s.
// Negative latencies forbid a sum.
func histogramSamples(w io.Writer, name, labels string, t *results.Total, s *results.Summary) {
	h := t.Histogram
	if h == nil {
		return
	}
	for decade := int64(100); decade <= 1_000_000_000; decade *= 10 {
		for _, step := range []int64{1, 2, 5} {
			if le := decade * step; le <= 1_000_000_000 {
				fmt.Fprintf(w, "%s_bucket{%s,le=\"%s\"} %d\n", name, labels, seconds(float64(le)), h.Count()-h.CountAbove(le))
			}
		}
	}
	fmt.Fprintf(w, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, labels, h.Count())
	fmt.Fprintf(w, "%s_count{%s} %d\n", name, labels, h.Count())
	if !s.Missing.Has(results.NoMean) && h.Underflow() == 0 && t.Unrecorded == 0 {
		fmt.Fprintf(w, "%s_sum{%s} %s\n", name, labels, seconds(s.Mean*float64(h.Count())))
	}
}

func quantileSamples(w io.Writer, name, labels string, _ *results.Total, s *results.Summary) {
	for _, q := range []struct {
		q  string
		ns int64
		no results.Missing
	}{
		{"0.5", s.P50, results.NoP50},
		{"0.9", s.P90, results.NoP90},
		{"0.99", s.P99, results.NoP99},
		{"0.999", s.P999, results.NoP99_9},
		{"0.9999", s.P9999, results.NoP99_99},
		{"0.99999", s.P99999, results.NoP99_999},
	} {
		if !s.Missing.Has(q.no) {
			fmt.Fprintf(w, "%s{%s,quantile=\"%s\"} %s\n", name, labels, q.q, seconds(float64(q.ns)))
		}
	}
}

func gauge(of func(*results.Summary) (float64, results.Missing)) func(io.Writer, string, string, *results.Total, *results.Summary) {
	return func(w io.Writer, name, labels string, _ *results.Total, s *results.Summary) {
		if ns, no := of(s); !s.Missing.Has(no) {
			fmt.Fprintf(w, "%s{%s} %s\n", name, labels, seconds(ns))
		}
	}
}

func counter(of func(*results.Summary) (int64, results.Missing)) func(io.Writer, string, string, *results.Total, *results.Summary) {
	return func(w io.Writer, name, labels string, _ *results.Total, s *results.Summary) {
		if n, no := of(s); !s.Missing.Has(no) {
			fmt.Fprintf(w, "%s_total{%s} %d\n", name, labels, n)
		}
	}
}
