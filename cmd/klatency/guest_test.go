package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
	"worstcase/results"
)

// A part is commands of a guest, and what they must have done.
type part struct {
	name string
	// programs of this machine that the commands need.
	programs []string
	commands []kernels.Command
	check    func(t *testing.T, r []kernels.Result)
}

// TestInGuest measures with both back-ends, and with rtla, in one guest with a
// PREEMPT_RT kernel, whose clock counts instructions: figures repeat, and are of
// no machine.
func TestInGuest(t *testing.T) {
	t.Parallel()
	for _, k := range realTime(t) {
		t.Run(k.Name, func(t *testing.T) {
			g := kernels.Guest{Kernel: k, Icount: true, Timeout: 8 * time.Minute, Files: map[string]string{
				"/bin/settings": kernels.Build(t, k, "worstcase/internal/tracefs/testdata/settings"),
			}}
			for _, tool := range []string{"klatency", "latency", "results"} {
				g.Files["/bin/"+tool] = kernels.Build(t, k, "worstcase/cmd/"+tool)
			}
			var ready []part
			var commands []kernels.Command
			for _, p := range append([]part{backends(), contexts(k), besideRTLA()}, leftovers(k)...) {
				t.Run("programs for "+p.name, func(t *testing.T) {
					for _, program := range p.programs {
						kernels.Installed(t, k, g.Files, program)
					}
					ready, commands = append(ready, p), append(commands, p.commands...)
				})
			}
			r := g.Run(t, commands...)
			for _, p := range ready {
				t.Run(p.name, func(t *testing.T) { p.check(t, r[:len(p.commands)]) })
				r = r[len(p.commands):]
			}
		})
	}
}

// command is one of klatency, of which the run log is brought out, or of another
// program.
func command(args ...string) kernels.Command {
	c := kernels.Command{Args: args, Timeout: 3 * time.Minute}
	if i := slices.Index(args, "-o"); i >= 0 {
		c.Collect = []string{args[i+1]}
	}
	return c
}

// shell is a script for sh.
func shell(script string) kernels.Command { return command("sh", "-ec", script) }

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

// read returns the run that a command has logged.
func read(t *testing.T, r kernels.Result) *results.Run {
	t.Helper()
	for _, log := range r.Files {
		runs, err := results.ReadFrom(results.KeepFigures, bytes.NewReader(log), "a.run")
		if err != nil || len(runs) != 1 {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		return runs[0]
	}
	t.Fatalf("no log: status %d: %s%s%s", r.Status, r.Error, r.Stdout, r.Stderr)
	return nil
}
