package format

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"worstcase/results"
)

// The formats of Export.
const (
	ToHDR         = "hdr"         // HdrHistogram's percentile distribution
	ToCSV         = "csv"         // one line an interval and one a series
	ToGnuplot     = "gnuplot"     // the data file of latency -g
	ToOSADL       = "osadl"       // OSADL RT Dataset 1.0
	ToCyclictest  = "cyclictest"  // rt-tests' JSON, file_version 1
	ToOpenMetrics = "openmetrics" // OpenMetrics 1.0 text
	ToJUnit       = "junit"       // JUnit XML, a test case for each gate
	ToRTLA        = "rtla"        // what rtla timerlat hist prints
)

// Exports lists the formats of Export.
func Exports() []string {
	return []string{ToHDR, ToCSV, ToGnuplot, ToOSADL, ToCyclictest, ToOpenMetrics, ToJUnit, ToRTLA}
}

// Export writes runs in another program's format. Those that hold one run
// (gnuplot, osadl, cyclictest) refuse more; those that are histograms refuse
// runs without.
func Export(w io.Writer, to string, runs ...*results.Run) error {
	if len(runs) == 0 {
		return fmt.Errorf("export to %s: no run", to)
	}
	single := slices.Contains([]string{ToGnuplot, ToOSADL, ToCyclictest}, to)
	if single && len(runs) > 1 {
		return fmt.Errorf("export to %s: it holds one run, not %d", to, len(runs))
	}
	var err error
	switch to {
	case ToHDR:
		err = writeHDR(w, runs)
	case ToCSV:
		err = writeCSV(w, runs)
	case ToGnuplot:
		err = writeGnuplot(w, runs[0])
	case ToOSADL:
		err = WriteOSADL(w, runs[0])
	case ToCyclictest:
		err = writeCyclictest(w, runs[0])
	case ToOpenMetrics:
		err = writeOpenMetrics(w, runs)
	case ToJUnit:
		err = writeJUnit(w, runs)
	case ToRTLA:
		err = writeRTLA(w, runs)
	default:
		return fmt.Errorf("export to %q: it is none of %s", to, strings.Join(Exports(), ", "))
	}
	if err != nil {
		return fmt.Errorf("export to %s: %w", to, err)
	}
	return nil
}

// reprint prints a run in one of the forms, with a histogram of 1 us cells that
// holds its maximum if that is below 10 ms.
func reprint(r *results.Run, form string, w io.Writer, o Options) error {
	most := int64(0)
	for i := range r.Totals() {
		h := r.Totals()[i].Histogram
		if h == nil {
			return errNoHistogram
		}
		for b := range h.All() {
			most = max(most, b.High)
		}
	}
	o.Histogram = true
	o.Cells = int(min(most/1000+1, osadlClasses))
	sink, err := New(form, w, o)
	if err != nil {
		return err
	}
	if err := sink.Put(&r.Header); err != nil {
		return err
	}
	return sink.Put(ending(r))
}

// ending is the end of a run, also of one that was cut short.
func ending(r *results.Run) *results.End {
	if r.End != nil {
		return r.End
	}
	return &results.End{Reason: "cut short", Seconds: r.Seconds(), Series: r.Totals()}
}

func writeGnuplot(w io.Writer, r *results.Run) error {
	return reprint(r, Xenomai3, io.Discard, Options{Gnuplot: w, Quiet: true})
}

func writeCyclictest(w io.Writer, r *results.Run) error {
	return reprint(r, Cyclictest, w, Options{JSON: true})
}

// title names a series of a run, "" when it is the only one without labels.
func title(labels results.Labels) string {
	parts := make([]string, 0, len(labels))
	for key, value := range labels {
		parts = append(parts, key+"="+value)
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
