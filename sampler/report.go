package sampler

import (
	"worstcase/rtsched"
)

// config is what the child reads from its control pipe.
type config struct {
	Parent     int              `json:"parent"`
	Loop       string           `json:"loop"`
	Threads    []rtsched.Thread `json:"threads"`
	CPULimit   int64            `json:"cpu_limit_ns"`
	LockMemory bool             `json:"lock_memory"`
	GC         bool             `json:"gc,omitempty"`
	Files      int              `json:"files,omitempty"`
	Args       any              `json:"args,omitempty"`
}

// report is a line of the report pipe: one of its parts.
type report struct {
	Ready   []ThreadInfo `json:"ready,omitempty"`
	Columns []string     `json:"columns,omitempty"`

	Error       string `json:"error,omitempty"`
	Hint        string `json:"hint,omitempty"`
	Unavailable bool   `json:"unavailable,omitempty"`

	End     []ThreadEnd `json:"end,omitempty"`
	RSSPeak int64       `json:"rss_peak_bytes,omitempty"`
	Mallocs uint64      `json:"mallocs,omitempty"`
}

// ThreadInfo is what the kernel says of a measuring thread that is ready.
type ThreadInfo struct {
	TID      int    `json:"tid"`
	CPU      int    `json:"cpu"`
	Policy   string `json:"policy"`
	Priority int    `json:"priority"`
}

// ThreadEnd is what a measuring thread says of its own run, from the measured
// start on.
type ThreadEnd struct {
	// Reason is empty for a thread that was stopped.
	Reason      string `json:"reason,omitempty"`
	Error       string `json:"error,omitempty"`
	Hint        string `json:"hint,omitempty"`
	MinorFaults int64  `json:"minor_faults"`
	MajorFaults int64  `json:"major_faults"`
	Voluntary   int64  `json:"voluntary_switches"`
	Involuntary int64  `json:"involuntary_switches"`
	// CPUTime is counted from the thread's first moment on.
	CPUTime int64 `json:"cpu_ns"`
}

// Ended is the last report of a child.
type Ended struct {
	Threads []ThreadEnd
	// RSSPeak is the child's largest resident size in bytes.
	RSSPeak int64
	// Mallocs is how often the child allocated memory from its Go heap, set-up
	// and end included; it does not grow with the length of a run.
	Mallocs uint64
}

// Figures are the sums over the threads, by name.
func (e *Ended) Figures() map[string]float64 {
	f := map[string]float64{"sampler.rss_peak_bytes": float64(e.RSSPeak), "sampler.mallocs": float64(e.Mallocs)}
	for _, t := range e.Threads {
		f["sampler.faults.minor"] += float64(t.MinorFaults)
		f["sampler.faults.major"] += float64(t.MajorFaults)
		f["sampler.switches.voluntary"] += float64(t.Voluntary)
		f["sampler.switches.involuntary"] += float64(t.Involuntary)
		f["sampler.cpu_ns"] += float64(t.CPUTime)
	}
	return f
}
