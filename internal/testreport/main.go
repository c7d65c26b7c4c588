// Command testreport reads the output of `go test -json` and shows what a
// person wants of it: failed tests with their output, a line for each package,
// and at the end every skipped test with its reason.
//
//	go test -json ./... | go run ./internal/testreport
//
// A skip whose reason is not among those of allowed.txt is a failure: a test
// may leave out only what a machine truly lacks. It exits with status 1 when
// anything failed.
//
// Tests of times fail now and then where a hypervisor takes the CPU away. With
// -again N, up to N failed tests run twice more, alone; one that passes both
// times is shown as unsteady, with what it printed when it failed, and is no
// failure. More than N, or a failure outside of a test, get no second chance.
package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

//go:embed allowed.txt
var allowed string

func main() {
	most := flag.Int("again", 0, "how many failed tests at most run twice more, alone")
	flag.Parse()
	ok, err := report(os.Stdin, os.Stdout, allowed, *most, goTest)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// An event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

type key struct{ pkg, test string }

// A result is what is known of one test, or of a package (test "").
type result struct {
	key
	action  string
	elapsed float64
	output  strings.Builder
}

// report writes the report and tells whether all is well. Up to most failed
// tests are run alone.
func report(r io.Reader, w io.Writer, allowed string, most int, alone func(pkg, test string) error) (bool, error) {
	all, err := read(r)
	if err != nil {
		return false, err
	}
	var passed int
	var skips, failed []*result
	for _, t := range all {
		switch {
		case t.action == "fail", t.action == "" && t.pkg != "": // what never ended is cut short
			failed = append(failed, t)
			fmt.Fprintf(w, "FAIL %s %s\n%s", t.pkg, t.test, t.output.String())
		case t.test == "" && t.action == "pass":
			fmt.Fprintf(w, "ok   %s %.1fs\n", t.pkg, t.elapsed)
		case t.test != "" && t.action == "pass":
			passed++
		case t.test != "" && t.action == "skip":
			skips = append(skips, t)
		}
	}
	wrong := showSkips(w, skips, patterns(allowed))
	broken, unsteady := again(w, failed, most, alone)
	wrong += broken
	fmt.Fprintf(w, "%d passed, %d failed, %d unsteady, %d skipped\n", passed, wrong, unsteady, len(skips))
	return wrong == 0 && passed > 0, nil
}

// read gathers the events by test, in order of packages and names.
func read(r io.Reader) ([]*result, error) {
	byKey := map[key]*result{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // the go command's own words, such as those of a failed build
		}
		k := key{e.Package, e.Test}
		t := byKey[k]
		if t == nil {
			t = &result{key: k}
			byKey[k] = t
		}
		switch e.Action {
		case "output", "build-output":
			t.output.WriteString(e.Output)
		case "pass", "fail", "skip":
			t.action, t.elapsed = e.Action, e.Elapsed
		}
	}
	var all []*result
	for _, t := range byKey {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *result) int {
		return cmp.Or(strings.Compare(a.pkg, b.pkg), strings.Compare(a.test, b.test))
	})
	return all, lines.Err()
}

// showSkips prints the skipped tests and returns how many may not be.
func showSkips(w io.Writer, skips []*result, allowed []*regexp.Regexp) (wrong int) {
	for _, t := range skips {
		why := reason(t.output.String())
		first, _, _ := strings.Cut(why, "\n")
		if slices.ContainsFunc(allowed, func(re *regexp.Regexp) bool { return re.MatchString(why) }) {
			fmt.Fprintf(w, "skipped %s %s: %s\n", t.pkg, t.test, first)
			continue
		}
		wrong++
		fmt.Fprintf(w, "FAIL %s %s: skipped for a reason that is not allowed: %s\n", t.pkg, t.test, first)
	}
	return wrong
}

// logged begins what a test prints.
var logged = regexp.MustCompile(`(?m)^\s*\S+\.go:\d+: `)

// reason is what t.Skip printed: the last that the test did.
func reason(output string) string {
	if found := logged.FindAllStringIndex(output, -1); len(found) > 0 {
		return strings.TrimSpace(output[found[len(found)-1][0]:])
	}
	return cmp.Or(strings.TrimSpace(output), "no reason given")
}

// patterns are the allowed reasons, one regular expression a line; # begins a
// comment.
func patterns(text string) []*regexp.Regexp {
	var list []*regexp.Regexp
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, regexp.MustCompile(line))
		}
	}
	return list
}
