package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReport(t *testing.T) {
	const begin = `{"Action":"run","Package":"p","Test":"TestA"}` + "\n"
	tests := []struct {
		name, events, want string
		ok                 bool
	}{
		{
			"passes", `{"Action":"pass","Package":"p","Test":"TestA"}` + "\n" + `{"Action":"pass","Package":"p","Elapsed":1.5}`,
			"ok   p 1.5s\n1 passed, 0 failed, 0 unsteady, 0 skipped\n", true,
		},
		{
			"fails with its output", `{"Action":"output","Package":"p","Test":"TestA","Output":"why\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestA"}`,
			"FAIL p TestA\nwhy\n0 passed, 1 failed, 0 unsteady, 0 skipped\n", false,
		},
		{
			"skipped with reason",
			`{"Action":"pass","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"    x_test.go:1: no such thing here\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}`,
			"skipped p TestA: x_test.go:1: no such thing here\n1 passed, 0 failed, 0 unsteady, 1 skipped\n", true,
		},
		{
			"skipped after other words",
			`{"Action":"pass","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"    x_test.go:1: no such thing here\n    x_test.go:2: too slow\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}`,
			"FAIL p TestA: skipped for a reason that is not allowed: x_test.go:2: too slow\n1 passed, 1 failed, 0 unsteady, 1 skipped\n", false,
		},
		{
			"skipped for another reason",
			`{"Action":"pass","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"flaky\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}`,
			"FAIL p TestA: skipped for a reason that is not allowed: flaky\n1 passed, 1 failed, 0 unsteady, 1 skipped\n", false,
		},
		{
			"cut short", `{"Action":"pass","Package":"p","Test":"TestB"}`,
			"FAIL p TestA\n1 passed, 1 failed, 0 unsteady, 0 skipped\n", false,
		},
		{
			"nothing passed", `{"Action":"output","Package":"p","Test":"TestA","Output":"no such thing\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}`,
			"skipped p TestA: no such thing\n0 passed, 0 failed, 0 unsteady, 1 skipped\n", false,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var out strings.Builder
			ok, err := report(strings.NewReader(begin+tc.events), &out, "# comment\nno such thing\n", 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" || ok != tc.ok {
				t.Errorf("ok %v, want %v\n%s", ok, tc.ok, diff)
			}
		})
	}
}

func TestAgain(t *testing.T) {
	fail := func(pkg, test string) string {
		return `{"Action":"fail","Package":"` + pkg + `","Test":"` + test + `"}` + "\n"
	}
	const passed = `{"Action":"pass","Package":"p","Test":"TestP"}` + "\n"
	one := passed + fail("p", "TestA") + fail("p", "TestA/b.c") + fail("p", "")
	tests := []struct {
		name, events string
		most         int
		broken       string // the test that fails alone as well
		ran          string // the tests that were run
		ok           bool
	}{
		{"unsteady", one, 1, "", "p TestA/b.c ", true},
		{"broken", one, 1, "TestA/b.c", "p TestA/b.c ", false},
		{"not asked for", one, 0, "", "", false},
		{"one of two broken", one + fail("p", "TestB"), 2, "TestB", "p TestA/b.c p TestB ", false},
		{"too many", one + fail("p", "TestB"), 1, "", "", false},
		{"a package without a test", one + fail("q", ""), 2, "", "", false},
		{"beginnings of names are no parts", passed + fail("p", "TestA") + fail("p", "TestAB"), 2, "", "p TestA p TestAB ", true},
		{"another package's", passed + fail("p", "TestA") + fail("q", "TestA/b"), 2, "", "p TestA q TestA/b ", true},
		{"nothing failed", passed, 1, "", "", true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var out, ran strings.Builder
			ok, err := report(strings.NewReader(tc.events), &out, "", tc.most, func(pkg, test string) error {
				ran.WriteString(pkg + " " + test + " ")
				if test == tc.broken {
					return errors.New("broken")
				}
				return nil
			})
			if err != nil || ok != tc.ok || ran.String() != tc.ran {
				t.Errorf("ok %v (%v), want %v; ran %q, want %q\n%s", ok, err, tc.ok, ran.String(), tc.ran, out.String())
			}
		})
	}
}

// skipping makes TestSkipped skip.
const skipping = "TESTREPORT_SKIP"

func TestSkipped(t *testing.T) {
	if os.Getenv(skipping) != "" {
		t.Skip("as told")
	}
}

// TestAlone runs tests of this package as the report does: what is skipped, or
// isn't there, has not passed.
func TestAlone(t *testing.T) {
	const pkg = "worstcase/internal/testreport"
	t.Setenv(skipping, "yes")
	for test, ok := range map[string]bool{"TestAgain/too_many": true, "TestSkipped": false, "TestNone": false} {
		if err := goTest(pkg, test); (err == nil) != ok {
			t.Errorf("%s: error %v", test, err)
		}
	}
}
