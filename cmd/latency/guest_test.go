package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
	"worstcase/results"
)

// A hotplug script measures a CPU and takes CPU 1 offline in mid-run. Where that
// is the measured one, the run ends; else CPU 1 comes back, and the run goes on.
const (
	awayItself = measuring + `
latency -p 1000 -c 1 -T 60 -o a.run & pid=$!
measuring a.run
echo 0 >/sys/devices/system/cpu/cpu1/online
wait $pid
echo "status $?"
`
	awayNeighbour = measuring + `
latency -p 1000 -c 0 -T 3 --stages --spikes 3 -o b.run & pid=$!
measuring b.run
echo 0 >/sys/devices/system/cpu/cpu1/online
echo 1 >/sys/devices/system/cpu/cpu1/online
wait $pid
echo "status $?"
`
	measuring = `measuring() { until grep '"type":"interval"' $1 >/dev/null 2>&1; do sleep 0.2; done; }`
)

// TestHotplugInGuest: of the measured CPU, a clear end, status 1, and the log
// kept; of its neighbour, a run like any other. On a machine itself taking a CPU
// offline moves interrupts for good.
func TestHotplugInGuest(t *testing.T) {
	t.Parallel()
	k := kernels.Get(t, "6.1-rt-amd64")
	g := kernels.Guest{Kernel: k, CPUs: 2, Timeout: 3 * time.Minute, Files: map[string]string{
		"/bin/latency": kernels.Build(t, k, "worstcase/cmd/latency"),
	}}
	for _, program := range []string{"sh", "grep", "sleep"} {
		kernels.Installed(t, k, g.Files, program)
	}
	r := g.Run(
		t,
		kernels.Command{Args: []string{"sh", "-c", awayNeighbour}, Collect: []string{"/tmp/b.run"}, Timeout: time.Minute},
		kernels.Command{Args: []string{"sh", "-c", awayItself}, Collect: []string{"/tmp/a.run"}, Timeout: time.Minute},
	)
	neighbour, itself := r[0], r[1]
	if !strings.Contains(string(neighbour.Stdout), "status 0") {
		t.Errorf("without its neighbour for a while: %s%s%s", neighbour.Error, neighbour.Stdout, neighbour.Stderr)
	}
	if run := logged(t, neighbour); run.End == nil || run.End.Reason != "duration" || len(run.Spikes) != 3 || run.End.After["klatency.cpu0.run_queue.max_ns"] <= 0 {
		t.Errorf("without its neighbour for a while: end %+v, spikes %v", run.End, run.Spikes)
	}
	if !strings.Contains(string(itself.Stdout), "status 1") || !strings.Contains(string(itself.Stderr), "from cpu 1 to cpu 0") {
		t.Errorf("of the measured CPU: %s%s%s", itself.Error, itself.Stdout, itself.Stderr)
	}
	if run := logged(t, itself); run.End == nil || run.End.Verdict != results.VerdictError || run.Totals()[0].Count == 0 {
		t.Errorf("of the measured CPU: end %+v", run.End)
	}
}

// logged is the run that a command has logged.
func logged(t *testing.T, r kernels.Result) *results.Run {
	t.Helper()
	for name, log := range r.Files {
		runs, err := results.ReadFrom(results.KeepFigures, bytes.NewReader(log), name)
		if err == nil && len(runs) == 1 {
			return runs[0]
		}
		t.Fatalf("%d runs in %s: %v", len(runs), name, err)
	}
	t.Fatalf("no log: %s%s%s", r.Error, r.Stdout, r.Stderr)
	return nil
}
