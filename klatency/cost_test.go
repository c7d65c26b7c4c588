package klatency

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"worstcase/rtsched"
)

// quantile of sorted values.
func quantile(sorted []int64, q float64) int64 {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// BenchmarkTrace measures what tracing adds to the latency it explains: pairs
// of one second without and with it, in turn. Run it with -benchtime 10x.
func BenchmarkTrace(b *testing.B) {
	idle, err := rtsched.HoldDMALatency(0)
	if err != nil {
		b.Fatal(err)
	}
	defer idle.Close()
	for _, stages := range []bool{false, true} {
		b.Run(fmt.Sprintf("stages=%t", stages), func(b *testing.B) {
			var added, median, p99 []int64
			for b.Loop() {
				var figures [2][2]int64
				for on := range 2 {
					g := start(b, 1, 95, 100*time.Microsecond)
					var t *Tracer
					if on == 1 {
						t = traced(b, g, stages)
					}
					lates := slices.Sorted(maps.Values(g.run(b, time.Second)))
					figures[on] = [2]int64{quantile(lates, 0.5), quantile(lates, 0.99)}
					if t != nil {
						t.Close()
					}
					g.close()
				}
				b.Log(figures)
				median = append(median, figures[0][0])
				added = append(added, figures[1][0]-figures[0][0])
				p99 = append(p99, figures[1][1]-figures[0][1])
			}
			for name, v := range map[string][]int64{"median-ns": median, "added-median-ns": added, "added-p99-ns": p99} {
				slices.Sort(v)
				b.ReportMetric(float64(quantile(v, 0.5)), name)
			}
		})
	}
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
		g := start(b, 1, 95, 100*time.Microsecond)
		t := traced(b, g, true)
		g.run(b, 2*time.Second)
		for _, h := range hooks {
			if p := t.loaded.Programs[h.program]; p != nil {
				if s, err := p.Stats(); err == nil && s.RunCount > 0 {
					b.Logf("%-28s %8d runs %6d ns each", h.target, s.RunCount, int64(s.Runtime)/int64(s.RunCount))
				}
			}
		}
		t.Close()
		g.close()
	}
}
