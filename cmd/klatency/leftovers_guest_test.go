package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/internal/kernels"
)

// A tracing is a command that changes the tracer's settings, without -T.
type tracing struct {
	name, command string
	// before is a shell command that sets up tracing of the user's own, after
	// one that ends it.
	before, after string
}

func tracings(k *kernels.Kernel) []tracing {
	list := []tracing{
		{name: "timerlat", command: "klatency -p 1000 --backend timerlat -t 2,1 --stack 1us"},
		{name: "osnoise", command: "klatency noise --backend osnoise"},
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

// TestNothingLeftInGuest compares all settings of the tracer before and after:
// an end, an interrupt, and a kill with one more start.
func TestNothingLeftInGuest(t *testing.T) {
	for _, k := range realTime(t) {
		t.Run(k.Name, func(t *testing.T) {
			g := kernels.Guest{Kernel: k, Icount: true, Timeout: 8 * time.Minute, Files: map[string]string{
				"/bin/settings": kernels.Build(t, k, "worstcase/internal/tracefs/testdata/settings"),
			}}
			for _, tool := range []string{"klatency", "latency"} {
				g.Files["/bin/"+tool] = kernels.Build(t, k, "worstcase/cmd/"+tool)
			}
			for _, program := range []string{"sh", "timeout"} {
				kernels.Installed(t, k, g.Files, program)
			}
			var commands []kernels.Command
			for _, tracing := range tracings(k) {
				commands = append(commands, leaving(tracing)...)
			}
			r := g.Run(t, commands...)
			per := len(leaving(tracing{}))
			for i, tracing := range tracings(k) {
				t.Run(tracing.name, func(t *testing.T) { left(t, r[i*per:(i+1)*per]) })
			}
		})
	}
}

// leaving is the commands of which left reads the results.
func leaving(tr tracing) []kernels.Command {
	run := 0
	shell := func(prefix, suffix string) kernels.Command {
		run++
		return kernels.Command{
			Args:    []string{"sh", "-c", fmt.Sprintf("%s %s -o /tmp/%s-%d.run %s", prefix, tr.command, strings.ReplaceAll(tr.name, " ", "-"), run, suffix)},
			Timeout: time.Minute,
		}
	}
	settings := kernels.Command{Args: []string{"settings"}, Timeout: time.Minute}
	// What a process has changed, while it has not put it back.
	notes := kernels.Command{Args: []string{"sh", "-c", "echo /run/worstcase/*"}}
	return []kernels.Command{
		{Args: []string{"sh", "-c", tr.before}},
		settings,
		shell("", "-T 1"), settings,
		shell("timeout --preserve-status -s INT 2", "-T 60"), settings,
		shell("timeout -s KILL 2", "-T 60"), notes,
		shell("", "-T 1"), settings, notes,
		{Args: []string{"sh", "-c", tr.after}},
	}
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
		name   string
		number int
	}{
		{"an end", 2},
		{"an interrupt", 4},
		{"a start after a kill", 8},
	} {
		if c := r[run.number]; c.Status != 0 {
			t.Errorf("%s: status %d: %s%s%s", run.name, c.Status, c.Error, c.Stdout, c.Stderr)
		}
		if diff := cmp.Diff(before, read(run.number+1)); diff != "" {
			t.Errorf("%s left (-before +after):\n%s", run.name, diff)
		}
	}
	if c := r[6]; c.Status != 137 || !strings.Contains(string(r[7].Stdout), ".json") {
		t.Errorf("a kill: status %d, it left the notes %s", c.Status, r[7].Stdout)
	}
	if strings.Contains(string(r[10].Stdout), ".json") {
		t.Errorf("the start after a kill left the notes %s", r[10].Stdout)
	}
}

// realTime are the kernels asked for that have timerlat, osnoise and BTF.
func realTime(t *testing.T) (list []*kernels.Kernel) {
	t.Helper()
	for _, name := range kernels.Asked() {
		if strings.Contains(name, "-rt-") && !strings.HasSuffix(name, "armmp") {
			list = append(list, kernels.Get(t, name))
		}
	}
	if len(list) == 0 {
		kernels.Get(t, "6.1-rt-amd64")
	}
	return list
}
