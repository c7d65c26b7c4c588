package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"worstcase/results"
)

// TestKilled kills a run that keeps its worst wake-ups: its log names them.
func TestKilled(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "killed.run")
	cmd := exec.Command("klatency", "-p", "1000", "-T", "60", "-q", "--spikes", "3", "-o", log)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	seconds(t, log, 2)
	cmd.Process.Kill()
	if err := cmd.Wait(); err == nil {
		t.Error("it ended before it was killed")
	}
	run := seconds(t, log, 2)
	if !run.Truncated() || len(run.Spikes) != 3 {
		t.Fatalf("truncated: %t, spikes: %v", run.Truncated(), run.Spikes)
	}
	worst := run.Spikes[0]
	for _, s := range run.Spikes {
		if len(s.Stages) == 0 {
			t.Errorf("spike without stages: %v", s)
		}
		if s.Latency > worst.Latency {
			worst = s
		}
	}
	if total := run.Totals()[0]; worst.Latency < total.Max {
		t.Errorf("the longest spike is %d ns, the maximum %d ns", worst.Latency, total.Max)
	}
}

// seconds waits until a log has so many intervals, and returns its run.
func seconds(t *testing.T, log string, n int) *results.Run {
	t.Helper()
	for until := time.Now().Add(5 * time.Minute); time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		runs, err := results.Read(results.KeepFigures, log)
		if err == nil && len(runs) == 1 && len(runs[0].Intervals) >= n {
			return runs[0]
		}
	}
	t.Fatalf("%s: no %d intervals", log, n)
	return nil
}
