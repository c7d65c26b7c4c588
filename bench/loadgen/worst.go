package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"worstcase/bench/pairs"
)

// The percentiles by which loads are compared. On a virtual machine the higher
// one may be the hypervisor's: then no load differs from idle.
const (
	p999  = "p99.9"
	p9999 = "p99.99"
)

// worstLoad compares latency's percentiles under the load worst with those under
// none and under others' loads, run as commands in the same kind of cgroup: none
// of them has real-time threads itself.
func (b *bench) worstLoad(ctx context.Context) error {
	names, flags := []string{b.worst, "idle"}, [][]string{{"--load", b.worst}, {"--load", "idle"}}
	for _, command := range []string{
		"hackbench -P -s 512 -l 1000 -g 2",
		"stress-ng -q --vm-addr 1 --mmap 1",
		"stress-ng -q --timer 1 --sigio 1",
		"stress-ng -q --fork 1",
		"stress-ng -q --switch 1",
	} {
		names, flags = append(names, command), append(flags, []string{"--load-exec", command})
	}
	values := map[string][][]float64{p999: make([][]float64, len(names)), p9999: make([][]float64, len(names))}
	for range b.Pairs {
		for i := range names {
			run, err := b.percentiles(ctx, flags[i]...)
			if err != nil {
				return fmt.Errorf("under %s: %w", names[i], err)
			}
			for p, v := range run {
				values[p][i] = append(values[p][i], v)
			}
		}
	}
	for _, p := range []string{p999, p9999} {
		for i, name := range names {
			printUnder(p, name, values[p][i], values[p][0])
		}
	}
	return nil
}

// printUnder prints what was measured under a load, in ns, and how that under the
// load worst stands to it.
func printUnder(percentile, name string, values, worst []float64) {
	low, high := pairs.Interval(values)
	ratios := pairs.Ratios(worst, values)
	least, most := pairs.Interval(ratios)
	fmt.Printf("%-6s under %-34s %8.1f us (%.1f to %.1f); worst / this %.2f (%.2f to %.2f)\n", percentile, name,
		pairs.Median(values)/1000, low/1000, high/1000, pairs.Median(ratios), least, most)
}

// percentiles are those in ns that the command latency finds under a load.
func (b *bench) percentiles(ctx context.Context, load ...string) (pairs.Sample, error) {
	args := append([]string{"-p", "100", "-q", "-T", strconv.Itoa(b.Seconds), "--json"}, load...)
	cmd := exec.CommandContext(ctx, b.Ours, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run latency: %w: %s", err, &said)
	}
	var doc struct {
		Series []struct {
			P999  float64 `json:"p99_9_ns"`
			P9999 float64 `json:"p99_99_ns"`
		} `json:"series"`
	}
	if err := json.Unmarshal(out, &doc); err != nil || len(doc.Series) == 0 {
		return nil, fmt.Errorf("read latency's output: %w", err)
	}
	return pairs.Sample{p999: doc.Series[0].P999, p9999: doc.Series[0].P9999}, nil
}
