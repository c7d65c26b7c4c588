package loadgen

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSearch searches a machine on which loads hurt by rule.
func TestSearch(t *testing.T) {
	broken := errors.New("no disk")
	hurt := map[string]float64{"memory": 500, "syscall": 300, "net": 200, "fork": 120, "exec": 80}
	var order []string
	s := Search{Measure: func(_ context.Context, c Config) (float64, error) {
		order = append(order, c.Name)
		if c.Name == "io" {
			return 0, broken
		}
		total := 5.0
		for _, k := range c.Kinds {
			total = max(total, hurt[k.Kind])
			if len(c.Kinds) == 2 && c.Kinds[0].Kind == "memory" && c.Kinds[1].Kind == "net" {
				total = 900
			}
		}
		return total * 1000, nil
	}}
	ranked, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := ranked[0]; got.Name != "memory,net" || got.Median != 900_000 || got.Tied {
		t.Errorf("the worst is %+v, want memory,net", got)
	}
	if last := ranked[len(ranked)-1]; last.Name != "io" || !errors.Is(last.Err, broken) {
		t.Errorf("the last is %+v, want io, which can't be measured", last)
	}
	// Interleaved: each round measures idle and all kinds but priority.
	round := len(Kinds())
	if diff := cmp.Diff(order[:1], order[round:round+1]); diff != "" {
		t.Errorf("the second round begins otherwise (-first +second):\n%s", diff)
	}
	if n := countOf(order, "memory"); n != leastRounds {
		t.Errorf("memory was measured %d times", n)
	}
	if n := countOf(order, "io"); n != 1 {
		t.Errorf("io was measured %d times after it had failed", n-1)
	}
	if slices.Contains(order, priorityName) {
		t.Error("real-time threads were made without being asked for")
	}
	for _, r := range ranked {
		if r.Name == "cpu" && !r.Tied {
			t.Error("cpu is not tied, though it hurts as little as others")
		}
		if strings.Contains(r.Name, "everything") && len(r.Specs) != len(Kinds())-2 {
			t.Errorf("everything has %d kinds, want all but priority and io", len(r.Specs))
		}
	}
	p, err := Worst(ranked)
	if err != nil {
		t.Fatal(err)
	}
	want := Profile{Name: "memory+net", About: "the worst load found by search: p99.99 of 900.0 us", Kinds: []string{"memory:cpus", "net:cpus"}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("wrong profile (-want +got):\n%s", diff)
	}
	// The five that hurt, their ten pairs, and everything.
	if n := AboveIdle(ranked); n != 5+10+1 {
		t.Errorf("%d loads hurt more than idle, want 16", n)
	}
	// But for the two rounds in which the broken one is left out.
	if n := s.Measurements(); n != len(order)+2 {
		t.Errorf("announced %d measurements, made %d", n, len(order))
	}
}

func countOf(list []string, name string) int {
	n := 0
	for _, s := range list {
		if s == name {
			n++
		}
	}
	return n
}

func TestSearchEnds(t *testing.T) {
	broken := errors.New("no clock")
	s := Search{Measure: func(context.Context, Config) (float64, error) { return 0, broken }}
	if _, err := s.Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Measure = func(context.Context, Config) (float64, error) {
		cancel()
		return 1, nil
	}
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestRank(t *testing.T) {
	cells := []Ranked{
		{Name: "low", Rounds: []float64{1, 2, 3}},
		{Name: "broken", Err: errors.New("x")},
		{Name: "high", Rounds: []float64{30, 10, 20}},
		{Name: "overlaps", Rounds: []float64{9, 10, 11}},
		{Name: "below", Rounds: []float64{4, 5, 6}},
	}
	rank(cells)
	var got []string
	for _, c := range cells {
		name := c.Name
		if c.Tied {
			name = "~" + name
		}
		got = append(got, name)
	}
	if diff := cmp.Diff([]string{"high", "~overlaps", "below", "low", "broken"}, got); diff != "" {
		t.Errorf("wrong order (-want +got):\n%s", diff)
	}
}
