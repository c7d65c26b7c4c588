package klatency

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"worstcase/bench/pairs"
	"worstcase/internal/sys"
	"worstcase/rtsched"
)

// quantile of sorted values.
func quantile(sorted []int64, q float64) int64 {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// BenchmarkTrace measures what tracing adds to the latency it explains: pairs of
// 400 ms without and with it, in turn, every other pair the other way round; of
// each figure the median of the pairs, and its 95 % interval. Run it with
// -benchtime 60x.
func BenchmarkTrace(b *testing.B) {
	idle, err := rtsched.HoldDMALatency(0)
	if err != nil {
		b.Fatal(err)
	}
	defer idle.Close()
	for _, stages := range []bool{false, true} {
		b.Run(fmt.Sprintf("stages=%t", stages), func(b *testing.B) {
			g := start(b, lastCPU(b), 95, 100*time.Microsecond)
			defer g.close()
			g.Go(g.first, g.first)
			traced := func() [2]float64 {
				t := traced(b, g, stages)
				defer t.Close()
				return g.percentiles(b)
			}
			var without, added [2][]float64 // of median and p99
			for last := false; b.Loop(); last = !last {
				var pair [2][2]float64
				if last {
					pair[1] = traced()
				}
				pair[0] = g.percentiles(b)
				if !last {
					pair[1] = traced()
				}
				for i := range without {
					without[i], added[i] = append(without[i], pair[0][i]), append(added[i], pair[1][i]-pair[0][i])
				}
			}
			for i, name := range []string{"median", "p99"} {
				low, high := pairs.Interval(added[i])
				b.Logf("%s: %.0f ns without, %.0f ns more with, 95 %% interval %.0f to %.0f, %d pairs",
					name, pairs.Median(without[i]), pairs.Median(added[i]), low, high, len(added[i]))
				b.ReportMetric(pairs.Median(added[i]), "added-"+name+"-ns")
			}
		})
	}
}

// percentiles returns median and p99 in ns of how late the running target is in
// the coming 400 ms, once what attaching or detaching did to it is over.
func (g *target) percentiles(b *testing.B) [2]float64 {
	b.Helper()
	var lates []int64
	settled := max(g.first, sys.Nanotime()+50e6)
	for now := int64(0); now < settled+400e6; time.Sleep(50 * time.Millisecond) {
		if err := g.Beat(); err != nil {
			b.Fatal(err)
		}
		now = sys.Nanotime()
		g.Rings[0].Rows(func(row []int64) {
			if row[0] >= settled {
				lates = append(lates, row[1])
			}
		})
	}
	slices.Sort(lates)
	return [2]float64{float64(quantile(lates, 0.5)), float64(quantile(lates, 0.99))}
}

// BenchmarkProbes prints what each eBPF program takes, by the kernel's own
// statistics (kernel.bpf_stats_enabled), which add some ns themselves.
func BenchmarkProbes(b *testing.B) {
	stats, err := ebpf.EnableStats(unix.BPF_STATS_RUN_TIME)
	if err != nil {
		b.Fatal(err)
	}
	defer stats.Close()
	for b.Loop() {
		g := start(b, lastCPU(b), 95, 100*time.Microsecond)
		t := traced(b, g, true)
		g.run(b, 2*time.Second)
		var all []string
		for _, h := range hooks {
			if p := t.loaded.Programs[h.program]; p != nil {
				if s, err := p.Stats(); err == nil && s.RunCount > 0 {
					all = append(all, fmt.Sprintf("%s %d x %d ns", h.target, s.RunCount, int64(s.Runtime)/int64(s.RunCount)))
				}
			}
		}
		b.Log(strings.Join(all, ", "))
		t.Close()
		g.close()
	}
}
