package klatency

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"worstcase/results"
)

// DefaultThreshold is from which gap on the polling thread calls it noise, as
// the osnoise tracer does.
const DefaultThreshold = 5 * time.Microsecond

// A NoiseConfig says what to measure.
type NoiseConfig struct {
	CPUs []int
	// Threshold is the shortest gap that counts.
	Threshold time.Duration
}

// A NoiseSource is what took time, and how often.
type NoiseSource struct {
	Count int64
	NS    int64
}

// NoiseFigures are those of one CPU.
type NoiseFigures struct {
	// Runtime is the measured time, Total the noise in it, MaxGap the longest
	// gap; ns.
	Runtime, Total, MaxGap int64
	// Hardware is the gaps in which nothing else ran: the hardware, the firmware
	// or a hypervisor took the CPU.
	Hardware, NMI, IRQ, Softirq, Thread NoiseSource
}

// A Taker is a thread that took time of a measured CPU.
type Taker struct {
	PID  int
	Name string
	NoiseSource
}

func sortTakers(all []Taker) {
	slices.SortFunc(all, func(a, b Taker) int { return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.PID, b.PID)) })
}

func noiseSeries(cpus []int) []results.SeriesInfo {
	infos := make([]results.SeriesInfo, len(cpus))
	for i, cpu := range cpus {
		infos[i] = results.SeriesInfo{ID: i, Labels: results.Labels{"cpu": strconv.Itoa(cpu), "what": "noise"}}
	}
	return infos
}

// noiseRecord is what a run log keeps of the figures.
func noiseRecord(cpus []int, found []NoiseFigures) results.Figures {
	figures := results.Figures{}
	for i, cpu := range cpus {
		f, key := &found[i], fmt.Sprintf("noise.cpu%d.", cpu)
		figures[key+"runtime_ns"], figures[key+"noise_ns"], figures[key+"max_gap_ns"] = float64(f.Runtime), float64(f.Total), float64(f.MaxGap)
		for name, source := range map[string]NoiseSource{"hardware": f.Hardware, "nmi": f.NMI, "irq": f.IRQ, "softirq": f.Softirq, "thread": f.Thread} {
			figures[key+name+".count"], figures[key+name+".noise_ns"] = float64(source.Count), float64(source.NS)
		}
	}
	return figures
}
