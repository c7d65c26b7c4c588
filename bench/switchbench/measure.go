package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"worstcase/bench/pairs"
)

const period = 100 // us, of all hand-overs

// The figures of a run.
const (
	minimum = "min"
	average = "avg"
	cpu     = "CPU time per cycle"
)

// measureOurs runs worstcase's switchbench. The warm-up second of a hand-over
// counts as cycles, since its CPU time is in the process's.
func (b *bench) measureOurs(warmUp int, args ...string) pairs.Tool {
	return func() (pairs.Sample, error) {
		cmd := exec.Command(b.Ours, append([]string{"-c", strconv.Itoa(b.cpu), "--json"}, args...)...)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("run switchbench: %w", err)
		}
		var doc struct {
			Series []struct {
				Count float64 `json:"count"`
				Lost  float64 `json:"lost"`
				Min   float64 `json:"min_ns"`
				Mean  float64 `json:"mean_ns"`
			} `json:"series"`
		}
		if err := json.Unmarshal(out, &doc); err != nil {
			return nil, fmt.Errorf("read switchbench's output: %w", err)
		}
		s := doc.Series[0]
		return pairs.Sample{minimum: s.Min, average: s.Mean, cpu: pairs.CPUTime(cmd) / (s.Count + s.Lost + float64(warmUp))}, nil
	}
}

// handOver measures one mechanism with waker and waiter of the same priority, as
// the rivals have them.
func (b *bench) handOver(mechanism string) pairs.Tool {
	return b.measureOurs(1_000_000/period, "--mechanism", mechanism, "--waiter", "equal", "-P", "90",
		"-p", strconv.Itoa(period), "-T", strconv.Itoa(b.Seconds))
}

// rtTests compares CPU time per cycle with one of rt-tests.
func (b *bench) rtTests(mechanism, rival string) pairs.Part {
	return pairs.Part{Name: mechanism, Run: func(ctx context.Context) error {
		return b.Compare(ctx, mechanism, rival, []string{cpu}, b.handOver(mechanism), b.rtTest(rival))
	}}
}

// rtTest makes runs of one of rt-tests.
func (b *bench) rtTest(rival string) pairs.Tool {
	return func() (pairs.Sample, error) {
		file := filepath.Join(b.Dir, "rival.json")
		cmd := exec.Command(rival, "-a", strconv.Itoa(b.cpu), "-p", "90", "-i", strconv.Itoa(period),
			"-D", strconv.Itoa(b.Seconds), "--json="+file)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("run %s: %w: %s", rival, err, out)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var doc struct {
			Thread map[string]struct {
				Sender struct {
					Samples float64 `json:"samples"`
				} `json:"sender"`
			} `json:"thread"`
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			return nil, fmt.Errorf("read %s's output: %w", rival, err)
		}
		return pairs.Sample{cpu: pairs.CPUTime(cmd) / doc.Thread["0"].Sender.Samples}, os.Remove(file)
	}
}

//go:embed c/pifutex.c
var piSource []byte

// piFutex compares with the C program, which has the same interval and period.
func (b *bench) piFutex(ctx context.Context) error {
	source, program := filepath.Join(b.Dir, "pifutex.c"), filepath.Join(b.Dir, "pifutex")
	if err := os.WriteFile(source, piSource, 0o600); err != nil {
		return err
	}
	if out, err := exec.Command("cc", "-O2", "-pthread", "-o", program, source).CombinedOutput(); err != nil {
		return fmt.Errorf("compile the C program: %w: %s", err, out)
	}
	return b.Compare(ctx, "pi-futex", "C", []string{minimum, average, cpu}, b.handOver("pi-futex"), func() (pairs.Sample, error) {
		cmd := exec.Command(program, strconv.Itoa(period*1000), strconv.Itoa(b.Seconds*1_000_000/period), strconv.Itoa(b.cpu), "90")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("run the C program: %w", err)
		}
		var n, least, mean float64
		if _, err := fmt.Sscan(string(out), &n, &least, &mean); err != nil {
			return nil, fmt.Errorf("read %q: %w", out, err)
		}
		return pairs.Sample{minimum: least, average: mean, cpu: pairs.CPUTime(cmd) / n}, nil
	})
}

var perOperation = regexp.MustCompile(`([0-9.]+) usecs/op`)

// pipe compares a round trip over two pipes with perf's, between processes and
// between threads. So few that the kernel doesn't throttle perf's.
func (b *bench) pipe(ctx context.Context) error {
	const trips = "100000"
	for _, space := range []struct{ name, perf string }{{"processes", "-l"}, {"threads", "-Tl"}} {
		ours := b.measureOurs(0, "--ping-pong", "--mechanism", "pipe", "--space", space.name, "-P", "40", "-n", trips)
		err := b.Compare(ctx, "pipe ping-pong between "+space.name, "perf", []string{average}, ours, func() (pairs.Sample, error) {
			out, err := exec.Command("taskset", "-c", strconv.Itoa(b.cpu), "chrt", "-f", "40",
				"perf", "bench", "sched", "pipe", space.perf, trips).CombinedOutput()
			found := perOperation.FindSubmatch(out)
			if err != nil || found == nil {
				return nil, fmt.Errorf("run perf: %w: %s", err, out)
			}
			us, err := strconv.ParseFloat(string(found[1]), 64)
			return pairs.Sample{average: us * 1000}, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
