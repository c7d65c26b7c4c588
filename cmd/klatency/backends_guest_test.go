package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"worstcase/internal/kernels"
	"worstcase/results"
)

// backends measures the same with both: to the thread, to the handler, with
// stages; and noise by eBPF.
func backends() part {
	p := part{name: "backends", check: agree}
	for _, flags := range []string{
		"-p 1000 --backend timerlat", "-p 1000 -t2 --backend timerlat", "-p 1000", "-p 1000 -t2",
		"-p 1000 --backend timerlat --stages --spikes 2", "noise --backend ebpf", "-p 50 --backend timerlat",
	} {
		log := "/tmp/" + strings.ReplaceAll(flags, " ", "") + ".run"
		p.commands = append(p.commands, command(strings.Fields("klatency "+flags+" -T 1 -o "+log)...))
	}
	return p
}

func agree(t *testing.T, r []kernels.Result) {
	for i, c := range r[:6] {
		if c.Status != 0 {
			t.Fatalf("command %d: status %d; it said %s%s%s", i, c.Status, c.Error, c.Stdout, c.Stderr)
		}
	}
	var median [5]int64
	for i := range median {
		total := read(t, r[i]).Totals()[0]
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
	stages(t, r[4])
	noise(t, "eBPF", r[5])
	if r[6].Status != 4 || !bytes.Contains(r[6].Stderr, []byte("--backend ebpf")) {
		t.Errorf("a period too short for timerlat: status %d, %s", r[6].Status, r[6].Stderr)
	}
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
