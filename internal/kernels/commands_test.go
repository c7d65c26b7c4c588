package kernels_test

import (
	"bytes"
	"regexp"
	"testing"
	"time"

	"worstcase/internal/kernels"
	"worstcase/results"
)

// TestLatencyInGuest runs latency as root in a guest whose clock counts
// instructions, and reads what it prints and its run log.
func TestLatencyInGuest(t *testing.T) {
	if len(kernels.Asked()) == 0 {
		kernels.Get(t, reduced)
	}
	for _, name := range kernels.Asked() {
		t.Run(name, func(t *testing.T) {
			k := kernels.Get(t, name)
			g := kernels.Guest{Kernel: k, Icount: true, Files: map[string]string{"/bin/latency": kernels.Build(t, k, "worstcase/cmd/latency")}}
			r := g.Run(t,
				kernels.Command{Args: []string{"latency", "-p", "1000", "-T", "3", "-o", "/tmp/a.run"}, Collect: []string{"/tmp/a.run"}, Timeout: time.Minute},
				kernels.Command{Args: []string{"latency", "-p", "1000", "-T", "1", "-q", "--max", "1us"}, Timeout: time.Minute},
				kernels.Command{Args: []string{"latency", "--no-such-flag"}},
			)
			for i, want := range []int{0, 3, 2} {
				if r[i].Status != want {
					t.Errorf("command %d: status %d, want %d; it said %s%s", i, r[i].Status, want, r[i].Stdout, r[i].Stderr)
				}
			}
			if row := regexp.MustCompile(`(?m)^RTS\|( +\d+\.\d{3}\|){3} +0\| +\d+\| +00:00:03/00:00:03$`); !row.Match(r[0].Stdout) {
				t.Errorf("there is no RTS line without overruns in\n%s", r[0].Stdout)
			}
			if n := bytes.Count(r[0].Stdout, []byte("\nRTD|")); n != 3 {
				t.Errorf("%d RTD lines, want 3", n)
			}
			runs, err := results.ReadFrom(results.KeepFigures, bytes.NewReader(r[0].Files["/tmp/a.run"]), "a.run")
			if err != nil || len(runs) != 1 {
				t.Fatalf("%d runs, %v", len(runs), err)
			}
			if got := runs[0].Host["kernel.release"]; got != k.Release {
				t.Errorf("the log is of kernel %q", got)
			}
			total := runs[0].Totals()[0]
			if total.Samples() != 3000 || total.Min <= 0 || total.Overruns != 0 {
				t.Errorf("%d samples, minimum %d ns, %d overruns; want 3000, positive, none", total.Samples(), total.Min, total.Overruns)
			}
			t.Logf("in instructions, no latency of a machine: min %d mean %.0f max %d ns", total.Min, total.Mean(), total.Max)
		})
	}
}
