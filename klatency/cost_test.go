package klatency

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
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
			g := start(b, lastCPU(b), 95, 100*time.Microsecond)
			defer g.close()
			g.Go(g.first, g.first)
			var pairs []string
			var median, added, p99, addedP99 []int64
			for b.Loop() {
				without := g.second(b)
				t := traced(b, g, stages)
				with := g.second(b)
				if err := t.Close(); err != nil {
					b.Fatal(err)
				}
				median, added = append(median, without[0]), append(added, with[0]-without[0])
				p99, addedP99 = append(p99, without[1]), append(addedP99, with[1]-without[1])
				pairs = append(pairs, fmt.Sprint(without, with))
			}
			b.Log("median and p99 in ns, without and with:", strings.Join(pairs, ", "))
			for name, v := range map[string][]int64{
				"median-ns": median, "added-median-ns": added, "p99-ns": p99, "added-p99-ns": addedP99,
			} {
				slices.Sort(v)
				b.ReportMetric(float64(quantile(v, 0.5)), name)
			}
		})
	}
}

// second returns median and p99 in ns of how late the running target is in the
// coming second, once what attaching or detaching did to it is over.
func (g *target) second(b *testing.B) [2]int64 {
	b.Helper()
	var lates []int64
	settled := sys.Nanotime() + 100e6
	for now := int64(0); now < settled+1e9; time.Sleep(50 * time.Millisecond) {
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
	return [2]int64{quantile(lates, 0.5), quantile(lates, 0.99)}
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
