package format

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"worstcase/results"
)

// hdrTicks is how many lines HdrHistogram prints for each halving of what is
// left to 100 %, by default.
const hdrTicks = 5

// writeHDR writes the percentile distribution that HdrHistogram's
// outputPercentileDistribution prints and its plotter reads, in us. A run with
// several series has one after the other, each under a comment with its labels.
func writeHDR(w io.Writer, runs []*results.Run) error {
	out := bufio.NewWriter(w)
	first := true
	several := len(runs) > 1 || len(runs[0].Totals()) > 1
	for _, r := range runs {
		for i := range r.Totals() {
			t := &r.Totals()[i]
			if t.Histogram == nil {
				return errNoHistogram
			}
			if several {
				if !first {
					fmt.Fprintln(out)
				}
				fmt.Fprintf(out, "#[Run = %s, Series = %s]\n", r.Label, title(t.Labels))
			}
			first = false
			writeDistribution(out, &t.Tally)
		}
	}
	return out.Flush()
}

func writeDistribution(w io.Writer, t *results.Tally) {
	fmt.Fprintf(w, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)")
	total := t.Histogram.Count()
	seen := t.Histogram.Underflow()
	level := 0.0 // of the next line, in percent
	line := func(ns, seen int64, percent float64) {
		value, q := float64(ns)/1000, percent/100
		if percent >= 100 {
			fmt.Fprintf(w, "%12.3f %2.12f %10d\n", value, q, seen)
			return
		}
		fmt.Fprintf(w, "%12.3f %2.12f %10d %14.2f\n", value, q, seen, 1/(1-q))
	}
	high := int64(0)
	for b := range t.Histogram.All() {
		seen += b.Count
		high = b.High
		for level < 100 && 100*float64(seen)/float64(total) >= level {
			line(high, seen, level)
			level = nextLevel(level)
			if seen == total {
				level = 100
			}
		}
	}
	switch over := t.Histogram.Overflow(); {
	case total == 0:
	case over > 0 && !t.Missing.Has(results.NoMax):
		line(t.Max, total, 100) // what is above all buckets is at most the maximum
	case over == 0:
		line(high, total, 100)
	}
	mean, deviation := moments(t)
	fmt.Fprintf(w, "#[Mean    = %12s, StdDeviation   = %12s]\n", fixed(mean, !t.Missing.Has(results.NoMean)), fixed(deviation, t.Histogram.Overflow() == 0))
	fmt.Fprintf(w, "#[Max     = %12s, Total count    = %12d]\n", fixed(float64(t.Max), !t.Missing.Has(results.NoMax)), total)
	fmt.Fprintf(w, "#[Buckets = %12d, SubBuckets     = %12d]\n", 32, 2048)
}

// nextLevel is the percentile of the next line: hdrTicks lines for each time
// that what is left to 100 % is halved.
func nextLevel(level float64) float64 {
	halvings := math.Floor(math.Log2(100/(100-level))) + 1
	return level + 100/(hdrTicks*math.Exp2(halvings))
}

// moments are the mean, and the standard deviation of the histogram, in ns.
func moments(t *results.Tally) (mean, deviation float64) {
	mean = t.Mean()
	var n, sum float64
	for b := range t.Histogram.All() {
		d := float64(b.Low+b.High)/2 - mean
		n += float64(b.Count)
		sum += d * d * float64(b.Count)
	}
	if n > 0 {
		deviation = math.Sqrt(sum / n)
	}
	return mean, deviation
}

// fixed is a figure in us, "?" when it is not known.
func fixed(ns float64, known bool) string {
	if !known {
		return "?"
	}
	return fmt.Sprintf("%.3f", ns/1000)
}
