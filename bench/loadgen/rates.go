package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"worstcase/bench/pairs"
)

// sched compares message rates, and context switches per message, with those of
// hackbench in the same topology.
func (b *bench) sched(ctx context.Context) error {
	const messages = 2 * 20 * 20 * 1000 // groups, senders, receivers, loops
	var ours, theirs, ourSwitches, theirSwitches []float64
	c, err := config("sched/socket:2")
	if err != nil {
		return err
	}
	for range b.Pairs {
		before := contextSwitches()
		out, err := exec.CommandContext(ctx, "hackbench", "-P", "-s", "512", "-l", "1000", "-g", "2").Output()
		if err != nil {
			return fmt.Errorf("run hackbench: %w", err)
		}
		theirSwitches = append(theirSwitches, (contextSwitches()-before)/messages)
		seconds, err := find(`Time: ([0-9.]+)`, string(out))
		if err != nil {
			return err
		}
		theirs = append(theirs, messages/seconds[0])
		r, err := b.ours(ctx, c, nil)
		if err != nil {
			return err
		}
		rate := r.rates["sched/socket"].Rate
		ours, ourSwitches = append(ours, rate), append(ourSwitches, r.switches/rate)
	}
	fmt.Println(pairs.Ratio("sched", "message/s", ours, theirs, "hackbench"))
	fmt.Println(pairs.Ratio("sched: switches", "per message", ourSwitches, theirSwitches, "hackbench"))
	return nil
}

func (b *bench) fork(ctx context.Context) error {
	return b.againstStress(ctx, "fork:2", "fork", 1, "fork")
}

func (b *bench) exec(ctx context.Context) error {
	return b.againstStress(ctx, "exec:2", "exec", 1, "exec")
}

// againstStress compares the rate of a load with the bogo operations of a
// stressor, each of which is worth perOp of ours. It runs as nobody: some
// stressors skip themselves as root.
func (b *bench) againstStress(ctx context.Context, load, stressor string, perOp float64, label string) error {
	c, err := config(load)
	if err != nil {
		return err
	}
	var ours, theirs []float64
	for range b.Pairs {
		out, err := b.stress(ctx, "--"+stressor, "2")
		if err != nil {
			return err
		}
		// stressor, operations, real time, user time, system time, operations per second
		figures, err := find(`metrc:.* `+stressor+` +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+) +([0-9.]+)`, out)
		if err != nil {
			return err
		}
		theirs = append(theirs, figures[4]*perOp)
		r, err := b.ours(ctx, c, nil)
		if err != nil {
			return err
		}
		ours = append(ours, r.rates[label].Rate)
	}
	fmt.Println(pairs.Ratio(label, c.Kinds[0].Kind+"/s", ours, theirs, "stress-ng --"+stressor+" 2"))
	return nil
}

// memory compares bandwidth, reading and writing together.
func (b *bench) memory(ctx context.Context) error {
	c, err := config("memory/stream:2")
	if err != nil {
		return err
	}
	long := *b
	long.Seconds = max(b.Seconds, 6) // in less, stream tells no rate
	var ours, theirs []float64
	for range b.Pairs {
		out, err := long.stress(ctx, "--stream", "2")
		if err != nil {
			return err
		}
		sum := 0.0
		for line := range strings.Lines(out) {
			if figures, err := find(`memory rate: ([0-9.]+) MB read/sec, ([0-9.]+) MB write/sec`, line); err == nil {
				sum += figures[0] + figures[1]
			}
		}
		theirs = append(theirs, sum)
		r, err := b.ours(ctx, c, nil)
		if err != nil {
			return err
		}
		ours = append(ours, r.rates["memory/stream"].Rate)
	}
	fmt.Println(pairs.Ratio("memory bandwidth", "MB/s", ours, theirs, "stress-ng --stream 2"))
	return nil
}

// stress runs stress-ng as nobody for the bench's length and returns all that it prints.
func (b *bench) stress(ctx context.Context, args ...string) (string, error) {
	args = append(args, "-t", strconv.Itoa(b.Seconds), "--metrics", "--temp-path", os.TempDir())
	cmd := exec.CommandContext(ctx, "stress-ng", args...)
	cmd.Dir = os.TempDir()
	if u, err := user.Lookup("nobody"); err == nil && os.Geteuid() == 0 {
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("run stress-ng %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// find returns the numbers that the pattern's groups match.
func find(pattern, text string) ([]float64, error) {
	groups := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if groups == nil {
		return nil, fmt.Errorf("no %q in %q", pattern, text)
	}
	var list []float64
	for _, g := range groups[1:] {
		n, err := strconv.ParseFloat(g, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// contextSwitches is the number that the machine has made since it started.
func contextSwitches() float64 {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	figures, err := find(`ctxt ([0-9]+)`, string(b))
	if err != nil {
		return 0
	}
	return figures[0]
}
