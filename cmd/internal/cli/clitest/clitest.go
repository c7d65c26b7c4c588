// Package clitest is what the commands' testscript files need beyond
// testscript's own words.
package clitest

import (
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// Commands are status, masked and silent.
func Commands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){"status": status, "masked": masked, "silent": silent}
}

// status N COMMAND… runs a command and wants exit status N.
func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("status: %v", err)
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", args[1], err)
	}
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d\n%s", strings.Join(args[1:], " "), got, want, ts.ReadFile("stderr"))
	}
	if strings.Contains(ts.ReadFile("stderr"), "goroutine ") {
		ts.Fatalf("%s: panic", strings.Join(args[1:], " "))
	}
}

// silent wants an empty standard error, but for a wait for the machine's lock.
func silent(ts *testscript.TestScript, _ bool, _ []string) {
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if !strings.Contains(line, "waiting for another measurement") {
			ts.Fatalf("standard error: %s", line)
		}
	}
}

var figures = regexp.MustCompile(`(?m)^(?:RTD|RTS|#  )\|?.*$`)

// masked FILE compares standard output with a file after the figures of data
// lines have been masked: digits, points and blanks of a column become ~, so
// that widths count and values don't.
func masked(ts *testscript.TestScript, _ bool, args []string) {
	mask := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' || r == '.' || r >= '0' && r <= '9' {
				return '~'
			}
			return r
		}, s)
	}
	got := figures.ReplaceAllStringFunc(ts.ReadFile("stdout"), mask)
	if want := figures.ReplaceAllStringFunc(ts.ReadFile(args[0]), mask); got != want {
		ts.Fatalf("standard output, masked:\n%swant:\n%s", got, want)
	}
}
