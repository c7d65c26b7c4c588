package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
	"worstcase/results"
)

// TestInGuest measures with both back-ends in a PREEMPT_RT kernel, whose clock
// counts instructions: figures repeat, and are of no machine.
func TestInGuest(t *testing.T) {
	t.Parallel()
	k := kernels.Get(t, "6.1-rt-amd64")
	g := kernels.Guest{Kernel: k, Icount: true, Timeout: 5 * time.Minute, Files: map[string]string{
		"/bin/klatency": kernels.Build(t, k, "worstcase/cmd/klatency"),
	}}
	kernels.Installed(t, k, g.Files, "cat")
	kernels.Installed(t, k, g.Files, "ls")
	settings := command("cat", "/sys/kernel/tracing/current_tracer", "/sys/kernel/tracing/tracing_on", "/sys/kernel/tracing/trace_clock",
		"/sys/kernel/tracing/osnoise/cpus", "/sys/kernel/tracing/osnoise/timerlat_period_us", "/sys/kernel/tracing/osnoise/stop_tracing_us")
	r := g.Run(
		t, settings,
		command("klatency", "-p", "1000", "-T", "1", "--backend", "timerlat", "-o", "/tmp/a.run"),
		command("klatency", "-p", "1000", "-T", "1", "-t2", "--backend", "timerlat", "-o", "/tmp/a.run"),
		command("klatency", "-p", "1000", "-T", "1", "-o", "/tmp/a.run"),
		command("klatency", "-p", "1000", "-T", "1", "-t2", "-o", "/tmp/a.run"),
		command("klatency", "-p", "1000", "-T", "1", "--backend", "timerlat", "--stages", "--spikes", "2", "-o", "/tmp/a.run"),
		command("klatency", "noise", "-T", "1", "-o", "/tmp/a.run"),
		command("klatency", "noise", "-T", "1", "--backend", "ebpf", "-o", "/tmp/a.run"),
		settings, command("ls", "/sys/kernel/tracing/instances", "/run/worstcase"),
		command("klatency", "-p", "50", "-T", "1", "--backend", "timerlat", "-o", "/tmp/a.run"),
	)
	for i, c := range r[:10] {
		if c.Status != 0 {
			t.Errorf("command %d: status %d; it said %s%s", i, c.Status, c.Stdout, c.Stderr)
		}
	}
	if t.Failed() {
		return
	}
	var median [5]int64
	for i := range median {
		run := read(t, r[i+1])
		total := run.Totals()[0]
		if total.Samples() < 998 || total.Samples() > 1001 || total.Min <= 0 {
			t.Errorf("run %d: %d samples, minimum %d ns", i, total.Samples(), total.Min)
		}
		median[i] = total.Histogram.Quantile(0.5)
	}
	t.Logf("medians in instructions: timerlat thread %d irq %d, eBPF thread %d irq %d, timerlat's thread traced %d",
		median[0], median[1], median[2], median[3], median[4])
	for _, pair := range [][2]int{{0, 2}, {1, 3}, {0, 4}} {
		a, b := median[pair[0]], median[pair[1]]
		if d := max(a-b, b-a); d > 2000 && d*10 > a {
			t.Errorf("medians of runs %d and %d: %d and %d ns", pair[0], pair[1], a, b)
		}
	}
	stages(t, r[5])
	noise(t, "osnoise", r[6])
	noise(t, "eBPF", r[7])
	if diff := string(r[0].Stdout); diff != string(r[8].Stdout) {
		t.Errorf("settings before %s and after %s", r[0].Stdout, r[8].Stdout)
	}
	if left := string(r[9].Stdout); strings.Contains(left, "worstcase-") || strings.Contains(left, ".json") {
		t.Errorf("left behind: %s", left)
	}
	if r[10].Status != 4 || !bytes.Contains(r[10].Stderr, []byte("--backend ebpf")) {
		t.Errorf("a period too short for timerlat: status %d, %s", r[10].Status, r[10].Stderr)
	}
}

func command(args ...string) kernels.Command {
	c := kernels.Command{Args: args, Timeout: time.Minute}
	if args[0] == "klatency" {
		c.Args = append(args, "--append")
		c.Collect = []string{"/tmp/a.run"}
	}
	return c
}

// read returns the last run that a command has collected.
func read(t *testing.T, r kernels.Result) *results.Run {
	t.Helper()
	runs, err := results.ReadFrom(results.KeepFigures, bytes.NewReader(r.Files["/tmp/a.run"]), "a.run")
	if err != nil || len(runs) == 0 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	return runs[len(runs)-1]
}

// stages checks that eBPF took the wake-ups of timerlat's thread apart: their
// stages make up what timerlat measured itself.
func stages(t *testing.T, r kernels.Result) {
	t.Helper()
	count := regexp.MustCompile(`(?m)^Stages of (\d+) wake-ups$`).FindSubmatch(r.Stdout)
	if count == nil || len(count[1]) < 3 {
		t.Fatalf("no stages of a thousand wake-ups in\n%s", r.Stdout)
	}
	after := read(t, r).End.After
	var sum float64
	for key, v := range after {
		if strings.HasSuffix(key, ".mean_ns") {
			sum += v
		}
	}
	total := read(t, r).Totals()[0]
	if d := sum - total.Mean(); d < -1000 || d > 1000 {
		t.Errorf("stages add up to %.0f ns, timerlat says %.0f\n%s", sum, total.Mean(), r.Stdout)
	}
	if unknown := after["klatency.cpu0.unknown.mean_ns"]; unknown*20 > sum {
		t.Errorf("unknown is %.0f ns of %.0f", unknown, sum)
	}
}

// noise checks that an instrument has seen the timer's interrupts, and no more
// noise than time.
func noise(t *testing.T, backend string, r kernels.Result) {
	t.Helper()
	run := read(t, r)
	if got := run.ConfigText(results.ConfigBackend); got != backend {
		t.Errorf("measured with %s, not with %s", got, backend)
	}
	after := run.End.After
	if n := after["noise.cpu0.irq.count"]; n < 100 || after["noise.cpu0.irq.noise_ns"] <= 0 {
		t.Errorf("%s has seen %.0f interrupts in a second\n%s", backend, n, r.Stdout)
	}
	if after["noise.cpu0.noise_ns"] > after["noise.cpu0.runtime_ns"] {
		t.Errorf("%s: more noise than time\n%s", backend, r.Stdout)
	}
	t.Logf("noise by %s, in instructions:\n%s", backend, r.Stdout)
}
