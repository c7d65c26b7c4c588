package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/internal/kernels"
)

// A tracing is a command that changes the tracer's settings, without -T.
type tracing struct {
	name, command string
	// before is a shell command that sets up tracing of the user's own, after
	// one that ends it.
	before, after string
	// check reads the run to the end, besides.
	check func(t *testing.T, r kernels.Result)
}

func tracings(k *kernels.Kernel) []tracing {
	list := []tracing{
		{name: "timerlat", command: "klatency -p 1000 --backend timerlat -t 2,1 --stack 1us"},
		{
			name: "osnoise", command: "klatency noise --backend osnoise",
			check: func(t *testing.T, r kernels.Result) { noise(t, "osnoise", r) },
		},
		{name: "freeze", command: "latency -p 1000 -f"},
		{
			name: "freeze of a trace in use", command: "latency -p 1000 -f",
			before: "echo 1 >/sys/kernel/tracing/events/sched/enable; echo 0 >/sys/kernel/tracing/tracing_on",
			after:  "echo 0 >/sys/kernel/tracing/events/sched/enable; echo 1 >/sys/kernel/tracing/tracing_on",
		},
	}
	if strings.HasPrefix(k.Name, "6.12-") {
		list = append(list, tracing{name: "timerlat in user space", command: "klatency -p 1000 --backend timerlat -t 2,1,0"})
	}
	return list
}

// leftovers compares all settings of the tracer before and after an interrupt,
// and before and after a kill and one more run to its end.
func leftovers(k *kernels.Kernel) (parts []part) {
	settings := command("settings")
	// What a process has changed, while it has not put it back.
	notes := shell("echo /run/worstcase/*")
	for i, tr := range tracings(k) {
		run := func(prefix string, number int, suffix string) kernels.Command {
			log := fmt.Sprintf("/tmp/left-%d-%d.run", i, number)
			c := shell(fmt.Sprintf("%s %s -o %s %s", prefix, tr.command, log, suffix))
			c.Collect = []string{log}
			return c
		}
		parts = append(parts, part{
			name: "nothing left by " + tr.name, programs: []string{"sh", "timeout"},
			check: func(t *testing.T, r []kernels.Result) {
				left(t, r)
				if tr.check != nil {
					tr.check(t, r[6])
				}
			},
			commands: []kernels.Command{
				shell(tr.before),
				settings,
				run("timeout --preserve-status -s INT 1.5", 1, "-T 60"), settings,
				run("timeout -s KILL 0.5", 2, "-T 60"), notes,
				run("", 3, "-T 1"), settings, notes,
				shell(tr.after),
			},
		})
	}
	return parts
}

// left reads what became of one tracing.
func left(t *testing.T, r []kernels.Result) {
	read := func(i int) (all map[string]string) {
		if err := json.Unmarshal(r[i].Stdout, &all); err != nil || len(all) < 1000 {
			t.Fatalf("%d settings, %v: %s", len(all), err, r[i].Stderr)
		}
		return all
	}
	before := read(1)
	for _, run := range []struct {
		name            string
		number, settled int
	}{
		{"an interrupt", 2, 3},
		{"a run after a kill", 6, 7},
	} {
		if c := r[run.number]; c.Status != 0 {
			t.Errorf("%s: status %d: %s%s%s", run.name, c.Status, c.Error, c.Stdout, c.Stderr)
		}
		if diff := cmp.Diff(before, read(run.settled)); diff != "" {
			t.Errorf("%s left (-before +after):\n%s", run.name, diff)
		}
	}
	if c := r[4]; c.Status != 137 || !strings.Contains(string(r[5].Stdout), ".json") {
		t.Errorf("a kill: status %d, it left the notes %s", c.Status, r[5].Stdout)
	}
	if strings.Contains(string(r[8].Stdout), ".json") {
		t.Errorf("the run after a kill left the notes %s", r[8].Stdout)
	}
}
