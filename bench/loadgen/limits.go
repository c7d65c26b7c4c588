package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/bench/pairs"
	"worstcase/loadgen"
)

// quotas prints how much of its quota of CPU time the load cpu uses, by the
// cgroup's own account. Its weight is a hundred times that of others, so that
// what else runs on the machine takes little.
func (b *bench) quotas(ctx context.Context) error {
	for _, quota := range []float64{0.5, 1.5} {
		c, err := config("cpu:2")
		if err != nil {
			return err
		}
		c.Quota, c.Weight = quota, 10000
		var used []float64
		for range b.Pairs {
			_, err := b.ours(ctx, c, func(l *loadgen.Load) error {
				before, start := groupFigure(l, "cpuacct.usage"), time.Now()
				time.Sleep(b.length())
				used = append(used, (groupFigure(l, "cpuacct.usage")-before)/1e9/time.Since(start).Seconds()/quota)
				return nil
			})
			if err != nil {
				return err
			}
		}
		low, high := pairs.Interval(used)
		fmt.Printf("cpu, quota %3.0f %%         used %.1f %% of it (%.1f to %.1f); %d runs\n",
			quota*100, pairs.Median(used)*100, low*100, high*100, len(used))
	}
	return nil
}

// limit prints the most memory that the load memory took under a limit.
func (b *bench) limit(ctx context.Context) error {
	c, err := config("memory:2,io")
	if err != nil {
		return err
	}
	c.Memory = 256 << 20
	most := 0.0
	_, err = b.ours(ctx, c, func(l *loadgen.Load) error {
		for start := time.Now(); time.Since(start) < b.length(); time.Sleep(time.Millisecond) {
			most = max(most, groupFigure(l, "memory.usage_in_bytes"))
		}
		return l.Err()
	})
	if err != nil {
		return err
	}
	fmt.Printf("memory limit 256 MiB     took at most %.1f MiB, nobody killed\n", most/(1<<20))
	return nil
}

// groupFigure reads a file of the load's cgroup, of v1; 0 when there is none.
func groupFigure(l *loadgen.Load, file string) float64 {
	controller := strings.SplitN(file, ".", 2)[0]
	paths, err := filepath.Glob(filepath.Join("/sys/fs/cgroup", controller, "worstcase-load-"+strconv.Itoa(l.Supervisor())+"-*", file))
	if err != nil || len(paths) == 0 { // below the cgroup of this process
		paths, _ = filepath.Glob(filepath.Join("/sys/fs/cgroup", controller, "*/*/worstcase-load-"+strconv.Itoa(l.Supervisor())+"-*", file))
	}
	if len(paths) == 0 {
		return 0
	}
	b, err := os.ReadFile(paths[0])
	if err != nil {
		return 0
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(string(b)), 64)
	if err != nil {
		return 0
	}
	return n
}

// control prints the CPU time of the processes that control a load, reading its
// rates once a second as the commands do.
func (b *bench) control(ctx context.Context) error {
	c, err := config("worst")
	if err != nil {
		return err
	}
	var share float64
	_, err = b.ours(ctx, c, func(l *loadgen.Load) error {
		before, err := controlTime(l)
		if err != nil {
			return err
		}
		start := time.Now()
		for time.Since(start) < max(b.length(), 5*time.Second) {
			time.Sleep(time.Second)
			l.Rates()
		}
		after, err := controlTime(l)
		share = (after - before).Seconds() / time.Since(start).Seconds()
		return err
	})
	if err != nil {
		return err
	}
	fmt.Printf("control of load worst    %.2f %% of a CPU\n", share*100)
	return nil
}

// controlTime is the CPU time of this process and of l's supervisor.
func controlTime(l *loadgen.Load) (time.Duration, error) {
	var own unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &own); err != nil {
		return 0, err
	}
	sum := int64(0)
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", l.Supervisor()))
	if err != nil || len(threads) == 0 {
		return 0, errors.Join(err, errors.New("the supervisor has no schedstat"))
	}
	for _, t := range threads {
		text, err := os.ReadFile(t)
		if err != nil {
			continue
		}
		if f := strings.Fields(string(text)); len(f) > 0 {
			n, err := strconv.ParseInt(f[0], 10, 64)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return time.Duration(own.Utime.Nano()+own.Stime.Nano()) + time.Duration(sum), nil
}
