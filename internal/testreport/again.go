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
func again(w io.Writer, failed []*result, most int, alone func(pkg, test string) error) (broken, unsteady int) {
	tests, rest := leaves(failed)
	if len(tests) > most || len(rest) > 0 {
		return len(tests) + len(rest), 0
	}
	for _, t := range tests {
		if err := alone(t.pkg, t.test); err != nil {
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

// goTest runs a test of a package twice. Neither time may it be skipped.
func goTest(pkg, test string) error {
	out, err := exec.Command("go", "test", "-v", "-count=2", "-run", pattern(test), pkg).CombinedOutput()
	if n := strings.Count(string(out), "--- PASS: "+test+" ("); err == nil && n != 2 {
		err = fmt.Errorf("%d passes of 2", n)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
