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

// worstLoad compares latency's p99.99 under the load worst with that under
// others' loads, run as commands in the same kind of cgroup: none of them has
// real-time threads itself.
func (b *bench) worstLoad(ctx context.Context) error {
	others := []string{
		"hackbench -P -s 512 -l 1000 -g 2",
		"stress-ng -q --vm-addr 1 --mmap 1",
		"stress-ng -q --timer 1 --sigio 1",
		"stress-ng -q --fork 1",
		"stress-ng -q --switch 1",
	}
	names := append([]string{b.worst}, others...)
	values := make([][]float64, len(names))
	for range b.Pairs {
		for i := range names {
			load := []string{"--load", b.worst}
			if i > 0 {
				load = []string{"--load-exec", others[i-1]}
			}
			v, err := b.percentile(ctx, load...)
			if err != nil {
				return fmt.Errorf("under %s: %w", names[i], err)
			}
			values[i] = append(values[i], v)
		}
	}
	for i, name := range names {
		low, high := pairs.Interval(values[i])
		fmt.Printf("p99.99 under %-34s %8.1f us (%.1f to %.1f)", name, pairs.Median(values[i])/1000, low/1000, high/1000)
		if i > 0 {
			ratios := pairs.Ratios(values[0], values[i])
			low, high := pairs.Interval(ratios)
			fmt.Printf("; worst / this %.2f (%.2f to %.2f)", pairs.Median(ratios), low, high)
		}
		fmt.Println()
	}
	return nil
}

// percentile is the p99.99 in ns that the command latency finds under a load.
func (b *bench) percentile(ctx context.Context, load ...string) (float64, error) {
	args := append([]string{"-p", "100", "-q", "-T", strconv.Itoa(b.Seconds), "--json"}, load...)
	cmd := exec.CommandContext(ctx, b.Ours, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("run latency: %w: %s", err, &said)
	}
	var doc struct {
		Series []struct {
			Percentile float64 `json:"p99_99_ns"`
		} `json:"series"`
	}
	if err := json.Unmarshal(out, &doc); err != nil || len(doc.Series) == 0 {
		return 0, fmt.Errorf("read latency's output: %w", err)
	}
	return doc.Series[0].Percentile, nil
}
