package kernels_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
)

// BenchmarkSwitches runs switchbench and the programs that measure the same in
// one guest whose clock counts instructions. rt-tests cut each sample to whole
// us, so that their mean is up to one too low; the C program has ns. The figures
// are instructions, no latency of a machine.
func BenchmarkSwitches(b *testing.B) {
	k := kernels.Get(b, reduced)
	g := kernels.Guest{Kernel: k, Icount: true, Timeout: 4 * time.Minute, Files: map[string]string{"/bin/switchbench": kernels.Build(b, k, "worstcase/cmd/switchbench")}}
	rivals := []struct{ mechanism, program string }{
		{"futex", "ptsematest"}, {"mqueue", "pmqtest"}, {"semaphore", "svsematest"}, {"signal", "sigwaittest"}, {"pi-futex", "pifutex"},
	}
	c := filepath.Join(b.TempDir(), "pifutex")
	if out, err := exec.Command("cc", "-O2", "-static", "-pthread", "-o", c, "../../bench/switchbench/c/pifutex.c").CombinedOutput(); err != nil {
		b.Fatalf("compile the C program: %v: %s", err, out)
	}
	g.Files["/bin/pifutex"] = c
	var commands []kernels.Command
	for _, r := range rivals {
		ours := "switchbench -p 1000 -n 2000 --waiter equal -P 90 --json --mechanism " + r.mechanism
		theirs := "pifutex 1000000 2000 0 90"
		if r.program != "pifutex" {
			kernels.Installed(b, k, g.Files, r.program)
			theirs = r.program + " -a 0 -p 90 -i 1000 -l 2000 --json=/tmp/rival.json"
		}
		commands = append(commands,
			kernels.Command{Args: strings.Fields(ours), Timeout: time.Minute},
			kernels.Command{Args: strings.Fields(theirs), Timeout: time.Minute, Collect: []string{"/tmp/rival.json"}})
	}
	for b.Loop() {
		results := g.Run(b, commands...)
		for i, r := range rivals {
			minimum, mean := ourSwitches(b, results[2*i])
			theirMinimum, theirMean := theirSwitches(b, results[2*i+1])
			b.Logf("%s, instructions as ns: min %.0f mean %.0f; %s: min %.0f mean %.0f", r.mechanism, minimum, mean, r.program, theirMinimum, theirMean)
			b.ReportMetric(mean/theirMean, r.mechanism+"-mean-ratio")
			b.ReportMetric(minimum/theirMinimum, r.mechanism+"-min-ratio")
		}
	}
}

func ourSwitches(b *testing.B, r kernels.Result) (minimum, mean float64) {
	b.Helper()
	var doc struct {
		Series []struct {
			Min  float64 `json:"min_ns"`
			Mean float64 `json:"mean_ns"`
		} `json:"series"`
	}
	if err := json.Unmarshal(r.Stdout, &doc); err != nil || r.Status != 0 {
		b.Fatalf("switchbench: status %d, %v: %s%s", r.Status, err, r.Stdout, r.Stderr)
	}
	return doc.Series[0].Min, doc.Series[0].Mean
}

// theirSwitches reads rt-tests' file, or the C program's three numbers.
func theirSwitches(b *testing.B, r kernels.Result) (minimum, mean float64) {
	b.Helper()
	text, ok := r.Files["/tmp/rival.json"]
	if words := strings.Fields(string(r.Stdout)); !ok || len(words) == 3 {
		var figures [3]float64
		if err := json.Unmarshal([]byte("["+strings.Join(words, ",")+"]"), &figures); err != nil {
			b.Fatalf("status %d, %v: %s%s", r.Status, err, r.Stdout, r.Stderr)
		}
		return figures[1], figures[2]
	}
	var doc struct {
		Thread map[string]struct {
			Receiver struct {
				Min float64 `json:"min"`
				Avg float64 `json:"avg"`
			} `json:"receiver"`
		} `json:"thread"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		b.Fatalf("status %d, %v: %s", r.Status, err, text)
	}
	receiver := doc.Thread["0"].Receiver
	return 1000 * receiver.Min, 1000 * receiver.Avg
}
