package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"worstcase/internal/kernels"
)

// contexts measures several contexts at once, with stacks, and up to a break.
func contexts(k *kernels.Kernel) part {
	const timerlat = "klatency --backend timerlat -p 1000 "
	return part{
		name: "contexts", programs: []string{"sh", "mkdir", "rmdir"},
		commands: []kernels.Command{
			command(strings.Fields(timerlat + "-T 1 -t 2,1 --stack 1us -o /tmp/stack.run")...),
			command("results", "show", "/tmp/stack.run"),
			command(strings.Fields(timerlat + "-T 10 --break 1us --stack 1us -o /tmp/break.run")...),
			command(strings.Fields(timerlat + "-T 1 -t 2,1,0 -o /tmp/user.run")...),
			shell(`cd /sys/kernel/tracing/instances; mkdir other; echo osnoise >other/current_tracer
				klatency --backend timerlat -T 1 && exit 1
				echo nop >other/current_tracer; rmdir other`),
		},
		check: func(t *testing.T, r []kernels.Result) {
			stacks(t, r[0], r[1])
			if total := read(t, r[2]).Totals()[0]; r[2].Status != 3 || total.Samples() == 0 || total.Samples() > 300 {
				t.Errorf("a break: status %d after %d samples: %s%s", r[2].Status, total.Samples(), r[2].Stdout, r[2].Stderr)
			}
			if spikes := read(t, r[2]).Spikes; len(spikes) == 0 {
				t.Error("a break has no stack")
			}
			if r[4].Status != 0 || !bytes.Contains(r[4].Stderr, []byte("hint: a kernel runs osnoise or timerlat, not both")) {
				t.Errorf("while osnoise runs: status %d: %s%s", r[4].Status, r[4].Stdout, r[4].Stderr)
			}
			if !strings.HasPrefix(k.Name, "6.1-") {
				columns(t, r[3])
			} else if r[3].Status != 4 || !bytes.Contains(r[3].Stderr, []byte("they need Linux 6.5")) {
				t.Errorf("threads of user space: status %d, %s", r[3].Status, r[3].Stderr)
			}
		},
	}
}

// stacks checks what a run with --stack recorded, and that results shows it.
func stacks(t *testing.T, run, show kernels.Result) {
	t.Helper()
	spikes := read(t, run).Spikes
	if len(spikes) != 10 {
		t.Errorf("%d spikes", len(spikes))
	}
	for _, spike := range spikes {
		if spike.Series != 1 || !slices.Contains(spike.Stack, "timerlat_irq") || spike.Stages["irq_ns"] <= 0 {
			t.Errorf("a spike without its stack: %+v", spike)
		}
	}
	for _, text := range [][]byte{run.Stdout, show.Stdout} {
		if !bytes.Contains(text, []byte("What the timer's interrupt met")) || !bytes.Contains(text, []byte("timerlat_irq")) {
			t.Errorf("no stack in\n%s", text)
		}
	}
}

// columns checks the series of interrupt, thread and user space.
func columns(t *testing.T, r kernels.Result) {
	t.Helper()
	if r.Status != 0 {
		t.Fatalf("status %d: %s%s", r.Status, r.Error, r.Stderr)
	}
	var last int64
	for i, total := range read(t, r).Totals() {
		median := total.Histogram.Quantile(0.5)
		if want := []string{"irq", "thread", "user"}[i]; total.Labels["context"] != want || total.Samples() < 990 || median <= last {
			t.Errorf("%v: %d samples, median %d ns after %d", total.Labels, total.Samples(), median, last)
		}
		last = median
	}
	t.Logf("in instructions:\n%s", r.Stdout)
}
