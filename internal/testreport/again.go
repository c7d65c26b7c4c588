package main

import (
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// leaves are the failed tests that have no failed part of their own, and rest
// the packages that failed without any.
func leaves(failed []*result) (tests []*result, rest []string) {
	for _, t := range failed {
		part := func(o *result) bool {
			return o.pkg == t.pkg && o != t && (t.test == "" || strings.HasPrefix(o.test, t.test+"/"))
		}
		switch {
		case slices.ContainsFunc(failed, part):
		case t.test == "":
			rest = append(rest, t.pkg)
		default:
			tests = append(tests, t)
		}
	}
	return tests, rest
}

// again runs each failed test twice more, alone, and returns how many things
// are broken, and how many tests passed both times. It runs none when more than
// most failed, or a package did without a test of its own: that is no matter of
// a busy machine.
func again(w io.Writer, failed []*result, most int, alone func(pkg, pattern string) error) (broken, unsteady int) {
	tests, rest := leaves(failed)
	if len(tests) > most || len(rest) > 0 {
		return len(tests) + len(rest), 0
	}
	for _, t := range tests {
		if err := alone(t.pkg, pattern(t.test)); err != nil {
			broken++
			fmt.Fprintf(w, "FAIL %s %s: alone as well: %v\n", t.pkg, t.test, err)
			continue
		}
		unsteady++
		fmt.Fprintf(w, "unsteady %s %s: failed beside the others, passed twice alone\n", t.pkg, t.test)
	}
	return broken, unsteady
}

// pattern makes of a test's name what -run takes for it and no other.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// goTest runs the tests of a package that match pattern, twice.
func goTest(pkg, pattern string) error {
	out, err := exec.Command("go", "test", "-count=2", "-run", pattern, pkg).CombinedOutput()
	if err == nil && strings.Contains(string(out), "[no tests to run]") {
		err = fmt.Errorf("%s matches no test", pattern)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
