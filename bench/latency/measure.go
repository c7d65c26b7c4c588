package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// A figure is one of those compared; all but missed are in ns.
type figure int

const (
	minimum figure = iota
	average
	p99
	cpu
	missed
)

func (f figure) String() string {
	return [...]string{"min", "avg", "p99", "CPU time per cycle", "missed"}[f]
}

// A sample is the figures of one run.
type sample map[figure]float64

// measureOurs runs worstcase's latency. Its warm-up second counts as cycles,
// since its CPU time is in the process's.
func (b *bench) measureOurs(us int, extra ...string) func(seconds int) (sample, error) {
	return func(seconds int) (sample, error) {
		args := append([]string{
			"-p", strconv.Itoa(us), "-c", strconv.Itoa(b.cpu), "-P", "95", "-q",
			"-T", strconv.Itoa(seconds), "--json",
		}, extra...)
		cmd := exec.Command(b.ours, args...)
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("run latency: %w", err)
		}
		var doc struct {
			Series []struct {
				Count    float64 `json:"count"`
				Min      float64 `json:"min_ns"`
				Mean     float64 `json:"mean_ns"`
				P99      float64 `json:"p99_ns"`
				Overruns float64 `json:"overruns"`
			} `json:"series"`
		}
		if err := json.Unmarshal(out, &doc); err != nil {
			return nil, fmt.Errorf("read latency's output: %w", err)
		}
		s := doc.Series[0]
		cycles := s.Count * float64(seconds+1) / float64(seconds)
		return sample{
			minimum: s.Min, average: s.Mean, p99: s.P99,
			cpu: cpuTime(cmd) / cycles, missed: s.Overruns / (s.Overruns + s.Count),
		}, nil
	}
}

func cpuTime(cmd *exec.Cmd) float64 {
	return float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
}

// measureTheirs runs cyclictest -m -q -p95 -i US -a CPU -t1 -N.
func (b *bench) measureTheirs(us int, extra ...string) func(seconds int) (sample, error) {
	return func(seconds int) (sample, error) {
		file := filepath.Join(b.dir, "cyclictest.json")
		args := append([]string{
			"-m", "-q", "-p95", "-i", strconv.Itoa(us), "-a", strconv.Itoa(b.cpu), "-t1", "-N",
			"-D", strconv.Itoa(seconds), "--json=" + file,
		}, extra...)
		cmd := exec.Command("cyclictest", args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("run cyclictest: %w: %s", err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var doc struct {
			Thread map[string]struct {
				Cycles    float64          `json:"cycles"`
				Min       float64          `json:"min"`
				Avg       float64          `json:"avg"`
				Histogram map[string]int64 `json:"histogram"`
			} `json:"thread"`
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			return nil, fmt.Errorf("read cyclictest's output: %w", err)
		}
		t := doc.Thread["0"]
		return sample{
			minimum: t.Min, average: t.Avg, p99: quantile(t.Histogram, 0.99*t.Cycles),
			cpu: cpuTime(cmd) / t.Cycles, missed: max(0, 1-t.Cycles*float64(us)/(float64(seconds)*1e6)),
		}, nil
	}
}

// quantile is the value in ns at which so many samples are reached.
func quantile(histogram map[string]int64, rank float64) float64 {
	counts := map[int]int64{}
	highest := -1
	for k, n := range histogram {
		v, err := strconv.Atoi(k)
		if err != nil {
			return 0
		}
		counts[v] = n
		highest = max(highest, v)
	}
	sum := 0.0
	for v := range highest + 1 {
		if sum += float64(counts[v]); sum >= rank {
			return float64(v)
		}
	}
	return 0
}
