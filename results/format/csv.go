package format

import (
	"encoding/csv"
	"io"
	"strconv"

	"worstcase/results"
)

// writeCSV writes one line for each interval that a run keeps, and one for each
// series as a whole, whose kind is "total". Times are in ns since the run's
// start. What is not known is empty. The text follows RFC 4180, with a header.
func writeCSV(w io.Writer, runs []*results.Run) error {
	out := csv.NewWriter(w)
	out.Write([]string{
		"label", "tool", "kind", "series", "labels", "at_ns", "seconds", "count", "min_ns", "mean_ns",
		"p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns", "p99_999_ns",
		"max_ns", "max_at_ns", "overruns", "lost", "unrecorded",
	})
	for _, r := range runs {
		names := map[int]string{}
		for _, s := range r.Header.Series {
			names[s.ID] = title(s.Labels)
		}
		for i := range r.Intervals {
			iv := &r.Intervals[i]
			line := []string{
				r.Label, r.Tool, "interval", strconv.Itoa(iv.Series), names[iv.Series],
				strconv.FormatInt(iv.At, 10), number(iv.Seconds, iv.Seconds > 0),
			}
			out.Write(append(line, tallyCells(&iv.Tally)...))
		}
		for i := range r.Totals() {
			t := &r.Totals()[i]
			line := []string{
				r.Label, r.Tool, "total", strconv.Itoa(t.ID), title(t.Labels), "", number(r.Seconds(), r.Seconds() > 0),
			}
			out.Write(append(line, tallyCells(&t.Tally)...))
		}
	}
	out.Flush()
	return out.Error() // of any of the writes
}

func tallyCells(t *results.Tally) []string {
	s := t.Summary()
	whole := func(n int64, figure results.Missing) string {
		if s.Missing.Has(figure) {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	return []string{
		whole(s.Count, results.NoCount), whole(s.Min, results.NoMin), number(s.Mean, !s.Missing.Has(results.NoMean)),
		whole(s.P50, results.NoP50), whole(s.P90, results.NoP90), whole(s.P99, results.NoP99),
		whole(s.P999, results.NoP99_9), whole(s.P9999, results.NoP99_99), whole(s.P99999, results.NoP99_999),
		whole(s.Max, results.NoMax), whole(s.MaxAt, results.NoMaxAt),
		whole(s.Overruns, results.NoOverruns), whole(s.Lost, results.NoLost), strconv.FormatInt(s.Unrecorded, 10),
	}
}

// number writes f without exponent or needless zeros, "" when it is not known.
func number(f float64, known bool) string {
	if !known {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
