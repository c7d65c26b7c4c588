package kernels_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
	"worstcase/results"
)

// BenchmarkCyclictest runs latency and cyclictest in turn in one guest whose
// clock counts instructions, and reports the ratios ours / theirs of mean,
// maximum, and processor time per cycle (start, warm-up and end included), free
// of the host's noise. They are ratios of instructions.
func BenchmarkCyclictest(b *testing.B) {
	k := kernels.Get(b, reduced)
	g := kernels.Guest{Kernel: k, Icount: true, Timeout: 4 * time.Minute, Files: map[string]string{"/bin/latency": kernels.Build(b, k, "worstcase/cmd/latency")}}
	kernels.Installed(b, k, g.Files, "cyclictest")
	ours := kernels.Command{Args: []string{"latency", "-p", "100", "-P", "95", "-T", "10", "-q", "-o", "/tmp/a.run", "--append"}, Collect: []string{"/tmp/a.run"}}
	theirs := kernels.Command{Args: strings.Fields("cyclictest -m -q -N -p 95 -i 100 -l 100000 --json=/tmp/c.json"), Collect: []string{"/tmp/c.json"}}
	for b.Loop() {
		var mean, most, theirMean, theirMost float64
		var cpu [2]float64 // of both tools, ns a cycle
		for i, r := range g.Run(b, ours, theirs, ours, theirs) {
			if r.Status != 0 {
				b.Fatalf("command %d: status %d: %s%s", i, r.Status, r.Stdout, r.Stderr)
			}
			cpu[i%2] += float64(r.CPU) / []float64{110000, 100000}[i%2]
			if i%2 == 0 {
				runs, err := results.ReadFrom(results.KeepTotals, strings.NewReader(string(r.Files["/tmp/a.run"])), "a.run")
				if err != nil {
					b.Fatal(err)
				}
				total := runs[len(runs)-1].Totals()[0]
				mean, most = mean+total.Mean(), max(most, float64(total.Max))
				continue
			}
			var c struct {
				Thread map[string]struct{ Avg, Max float64 }
			}
			if err := json.Unmarshal(r.Files["/tmp/c.json"], &c); err != nil {
				b.Fatal(err)
			}
			theirMean, theirMost = theirMean+c.Thread["0"].Avg, max(theirMost, c.Thread["0"].Max)
		}
		b.ReportMetric(mean/theirMean, "mean-ratio")
		b.ReportMetric(most/theirMost, "max-ratio")
		b.ReportMetric(cpu[0]/cpu[1], "cpu-ratio")
		b.Logf("instructions, ours and theirs: mean %.0f and %.0f, max %.0f and %.0f", mean/2, theirMean/2, most, theirMost)
	}
}
