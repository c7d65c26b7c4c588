package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"worstcase/bench/pairs"
)

// The figures of a run; missed is a fraction of the periods.
const (
	minimum = "min"
	average = "avg"
	p99     = "p99"
	cpu     = "CPU time per cycle"
	missed  = "missed"
)

// measureOurs runs worstcase's latency. Its warm-up second counts as cycles,
// since its CPU time is in the process's.
func (b *bench) measureOurs(us, seconds int, extra ...string) pairs.Tool {
	return func() (pairs.Sample, error) {
		args := append([]string{
			"-p", strconv.Itoa(us), "-c", strconv.Itoa(b.cpu), "-P", "95", "-q",
			"-T", strconv.Itoa(seconds), "--json",
		}, extra...)
		cmd := exec.Command(b.Ours, args...)
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
		return pairs.Sample{
			minimum: s.Min, average: s.Mean, p99: s.P99,
			cpu: pairs.CPUTime(cmd) / cycles, missed: s.Overruns / (s.Overruns + s.Count),
		}, nil
	}
}

// measureTheirs runs cyclictest -m -q -p95 -i US -a CPU -t1 -N.
func (b *bench) measureTheirs(us, seconds int, extra ...string) pairs.Tool {
	return func() (pairs.Sample, error) {
		file := filepath.Join(b.Dir, "cyclictest.json")
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
		return pairs.Sample{
			minimum: t.Min, average: t.Avg, p99: quantile(t.Histogram, 0.99*t.Cycles),
			cpu: pairs.CPUTime(cmd) / t.Cycles, missed: max(0, 1-t.Cycles*float64(us)/(float64(seconds)*1e6)),
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
