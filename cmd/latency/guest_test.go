package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
	"worstcase/results"
)

// offline measures CPU 1 and takes it offline in mid-run.
const offline = `
latency -p 1000 -c 1 -T 60 -o /tmp/a.run & pid=$!
until grep '"type":"interval"' /tmp/a.run >/dev/null 2>&1; do sleep 0.2; done
echo 0 >/sys/devices/system/cpu/cpu1/online
wait $pid
echo "status $?"
`

// TestCPUOfflineInGuest: a clear end, status 1, and the log kept. On a machine
// itself taking a CPU offline moves interrupts for good.
func TestCPUOfflineInGuest(t *testing.T) {
	k := kernels.Get(t, "6.1-rt-amd64")
	g := kernels.Guest{Kernel: k, CPUs: 2, Timeout: 6 * time.Minute, Files: map[string]string{
		"/bin/latency": kernels.Build(t, k, "worstcase/cmd/latency"),
	}}
	for _, program := range []string{"sh", "grep", "sleep"} {
		kernels.Installed(t, k, g.Files, program)
	}
	r := g.Run(t, kernels.Command{Args: []string{"sh", "-c", offline}, Collect: []string{"/tmp/a.run"}, Timeout: 4 * time.Minute})[0]
	if !strings.Contains(string(r.Stdout), "status 1") || !strings.Contains(string(r.Stderr), "from cpu 1 to cpu 0") {
		t.Errorf("it said %s%s%s", r.Error, r.Stdout, r.Stderr)
	}
	runs, err := results.ReadFrom(results.KeepFigures, bytes.NewReader(r.Files["/tmp/a.run"]), "a.run")
	if err != nil || len(runs) != 1 || runs[0].End == nil || runs[0].End.Verdict != results.VerdictError || runs[0].Totals()[0].Count == 0 {
		t.Errorf("%d runs in the log: %v", len(runs), err)
	}
}
