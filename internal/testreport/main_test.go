package main

import (
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
			"ok   p 1.5s\n1 passed, 0 failed, 0 skipped\n", true,
		},
		{
			"fails with its output", `{"Action":"output","Package":"p","Test":"TestA","Output":"why\n"}` + "\n" + `{"Action":"fail","Package":"p","Test":"TestA"}`,
			"FAIL p TestA\nwhy\n0 passed, 1 failed, 0 skipped\n", false,
		},
		{
			"skipped with reason",
			`{"Action":"pass","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"    x_test.go:1: no such thing here\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}`,
			"skipped p TestA: x_test.go:1: no such thing here\n1 passed, 0 failed, 1 skipped\n", true,
		},
		{
			"skipped after other words",
			`{"Action":"pass","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"    x_test.go:1: no such thing here\n    x_test.go:2: too slow\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}`,
			"FAIL p TestA: skipped for a reason that is not allowed: x_test.go:2: too slow\n1 passed, 1 failed, 1 skipped\n", false,
		},
		{
			"skipped for another reason",
			`{"Action":"pass","Package":"p","Test":"TestB"}` + "\n" + `{"Action":"output","Package":"p","Test":"TestA","Output":"flaky\n"}` + "\n" + `{"Action":"skip","Package":"p","Test":"TestA"}`,
			"FAIL p TestA: skipped for a reason that is not allowed: flaky\n1 passed, 1 failed, 1 skipped\n", false,
		},
		{"nothing ran", "", "0 passed, 0 failed, 0 skipped\n", false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var out strings.Builder
			ok, err := report(strings.NewReader(begin+tc.events), &out, "# comment\nno such thing\n")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, out.String()); diff != "" || ok != tc.ok {
				t.Errorf("ok %v, want %v\n%s", ok, tc.ok, diff)
			}
		})
	}
}
