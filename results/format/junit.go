package format

import (
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/jstemmer/go-junit-report/v2/junit"

	"worstcase/results"
)

// writeJUnit writes one test suite for each run. Its test cases are the run
// itself, which fails when its figures contradict themselves and is in error
// when it could not be measured, and each of its gates.
func writeJUnit(w io.Writer, runs []*results.Run) error {
	suites := junit.Testsuites{Name: "worstcase"}
	for i, r := range runs {
		suite := junit.Testsuite{
			Name: r.Label, ID: i, Package: r.Tool, Hostname: r.Host["kernel.hostname"],
			Time: fmt.Sprintf("%.3f", r.Seconds()),
		}
		if !r.Started.IsZero() {
			suite.SetTimestamp(r.Started)
		}
		for _, key := range []string{"kernel.release", "kernel.version", "kernel.preempt", "kernel.cmdline", "cpu.model"} {
			if value := r.Host[key]; value != "" {
				suite.AddProperty(key, value)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(r.Config)) {
			suite.AddProperty(key, fmt.Sprint(r.Config[key]))
		}
		suite.AddTestcase(measuring(r))
		for _, g := range ending(r).Gates {
			suite.AddTestcase(gateCase(r, &g))
		}
		suites.AddSuite(suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	return suites.WriteXML(w)
}

// measuring is the test case of the run itself.
func measuring(r *results.Run) junit.Testcase {
	tc := junit.Testcase{Name: "measure", Classname: r.Tool, Time: fmt.Sprintf("%.3f", r.Seconds())}
	end := ending(r)
	switch {
	case r.End == nil:
		tc.Error = &junit.Result{Message: "the run was cut short"}
	case end.Verdict == results.VerdictError:
		tc.Error = &junit.Result{Message: end.Error}
	case end.Verdict == results.Contradicts:
		tc.Failure = &junit.Result{Message: "the figures contradict themselves"}
	}
	return tc
}

// gateCase is the test case of a gate.
func gateCase(r *results.Run, g *results.Gate) junit.Testcase {
	name := fmt.Sprintf("%s %s", g.Name, g.Allowed())
	for _, s := range r.Header.Series {
		if s.ID == g.Series && len(s.Labels) > 0 {
			name += " " + title(s.Labels)
		}
	}
	tc := junit.Testcase{Name: name, Classname: r.Tool}
	if !g.Pass {
		tc.Failure = &junit.Result{Message: g.Failure(), Type: g.Name}
	}
	return tc
}
