package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
)

// TestCells: of two logs of several cells each, those of one cell are held against
// each other, whatever order they are in, and what only one log has is named.
func TestCells(t *testing.T) {
	size := func(size string, level int64) sketch {
		return sketch{level: level, max: 1_000_000, labels: results.Labels{"what": "service", "size": size}}
	}
	smallA, smallB := interleaved(t, 5, size("16B", 10_000), size("16B", 10_000), 10)
	bigA, bigB := interleaved(t, 5, size("1M", 10_000), size("1M", 400_000), 10)
	hugeA, _ := interleaved(t, 1, size("10M", 10_000), size("10M", 10_000), 0)
	a := Side{Runs: append(append(smallA.Runs, bigA.Runs...), hugeA.Runs...)}
	b := Side{Runs: append(bigB.Runs, smallB.Runs...)}
	answers, err := Cells(a, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Verdict{}
	for _, c := range answers {
		got[c.Cell] = c.Verdict
		if c.A.Runs != 5 || c.B.Runs != 5 || c.Alpha != 0.025 {
			t.Errorf("%s: %d runs against %d, alpha %g; want 5, 5, half of 0.05", c.Cell, c.A.Runs, c.B.Runs, c.Alpha)
		}
	}
	if diff := cmp.Diff(map[string]Verdict{"16B": Same, "1M": Worse}, got); diff != "" {
		t.Errorf("verdicts by cell (-want +got):\n%s", diff)
	}
	want := "cells left out, not on both sides: size=10M what=service"
	if notes := answers[0].Notes; len(notes) == 0 || notes[len(notes)-1] != want {
		t.Errorf("notes %q, want the last to be %q", notes, want)
	}
}

// TestOneCell: runs of one kind, and runs that have no kind in common, are
// compared as they are.
func TestOneCell(t *testing.T) {
	on := func(cpu string) sketch {
		return sketch{level: 10_000, max: 1_000_000, labels: results.Labels{"cpu": cpu}}
	}
	for _, cpu := range []string{"0", "1"} {
		a, b := interleaved(t, 4, on("0"), on(cpu), 10)
		answers, err := Cells(a, b, Options{})
		if err != nil || len(answers) != 1 || answers[0].Cell != "" || answers[0].Alpha != 0.05 {
			t.Errorf("against CPU %s: %+v, %v; want one answer, of no cell", cpu, answers, err)
		}
	}
}
