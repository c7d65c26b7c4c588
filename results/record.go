// Package results holds what was measured: runs, their intervals and series,
// and the run log in which they are kept.
//
// A run is a stream of records, and the stream is the same whether it comes
// live from a session, out of a run log, or from another tool's file: one
// Header, then Intervals, Loads, Spikes and Checkpoints as they happen, then
// one End. Everything that shows or keeps a run is a Sink.
package results

import (
	"time"
)

// Schema is the version of the run log that this package writes. It rises only
// when older readers would misread a log.
const Schema = 1

// A Record is one line of a run log: *Header, *Interval, *Load, *Spike,
// *Checkpoint or *End.
type Record interface {
	recordType() string
}

// A Sink takes the records of a run as they happen. It must not keep or change
// a record's histogram after Put returns.
type Sink interface {
	Put(Record) error
}

// Facts are named values with dotted keys, such as "kernel.release".
type Facts map[string]string

// Figures are named numbers with dotted keys that end in their unit where they
// have one, such as "steal_ns" or "irq.LOC.cpu1".
type Figures map[string]float64

// Labels tell the series of a run apart, such as {"cpu": "1"}.
type Labels map[string]string

// A SeriesInfo names one series of a run.
type SeriesInfo struct {
	ID     int    `json:"id"`
	Labels Labels `json:"labels,omitempty"`
	// Thread is the kernel's id of the thread that measures, 0 when unknown.
	Thread int `json:"thread,omitempty"`
}

// A Header opens a run. It is the "run" line of a log.
type Header struct {
	Schema int            `json:"schema"`
	Tool   string         `json:"tool"`
	Label  string         `json:"label"`
	Config map[string]any `json:"config,omitempty"`
	Host   Facts          `json:"host,omitempty"`
	// Started is zero when an imported file does not tell.
	Started time.Time `json:"started,omitzero"`
	// T0 is the CLOCK_MONOTONIC time in ns from which every at_ns counts: the
	// due time of the first sample after the warm-up.
	T0     int64        `json:"t0_ns"`
	Series []SeriesInfo `json:"series"`
}

// An Interval is what one series measured in one second of intended time. It
// is the only thing that printers, logs, gates and tables know.
type Interval struct {
	Series int `json:"series"`
	// At is the end of the interval, in ns since the header's T0.
	At int64 `json:"at_ns"`
	// Seconds is the interval's length, 1 but for a last, partial one.
	Seconds float64 `json:"seconds"`
	Tally
}

// A Tally is the figures of some stretch of one series: an interval, or the
// whole run up to a moment. Count, Unrecorded, Overruns and Throttled are disjoint.
type Tally struct {
	// Count is the number of samples in Histogram.
	Count int64 `json:"count"`
	// Min and Max are exact, in ns, and meaningless when Samples is 0.
	Min int64 `json:"min_ns"`
	Max int64 `json:"max_ns"`
	// MaxAt is when the sample that is Max was due, in ns since T0.
	MaxAt int64 `json:"max_at_ns"`
	// Sum of all samples in ns, those unrecorded included.
	Sum int64 `json:"sum_ns"`
	// Overruns are the periods (or send slots) missed.
	Overruns int64 `json:"overruns"`
	// Lost is what the measured mechanism lost: pulses, messages.
	Lost int64 `json:"lost"`
	// Throttled are the periods that passed while the kernel held the real-time
	// class back. They are no overruns.
	Throttled int64 `json:"throttled,omitempty"`
	// Switches are the page faults and involuntary context switches of the
	// measuring thread: what the latency table shows as msw.
	Switches int64 `json:"switches,omitempty"`
	// Unrecorded samples are in Min, Max and Sum but not in Histogram: the ring
	// between sampler and session was full.
	Unrecorded int64      `json:"unrecorded"`
	Histogram  *Histogram `json:"histogram,omitempty"`
	// Missing names the figures that an imported file does not tell.
	Missing Missing `json:"missing,omitempty"`
	// Average in ns, where an imported file tells a mean but not the samples
	// and the exact sum that give it; else 0.
	Average float64 `json:"average_ns,omitempty"`
}

// Samples is the number of samples that Min, Max and Sum speak of.
func (t *Tally) Samples() int64 { return t.Count + t.Unrecorded }

// Empty tells whether nothing was measured. A tally whose count is missing may
// have no Samples and yet a minimum and a maximum.
func (t *Tally) Empty() bool { return t.Samples() == 0 && !t.Missing.Has(NoCount) }

// Mean in ns, 0 without samples.
func (t *Tally) Mean() float64 {
	if t.Average != 0 {
		return t.Average
	}
	if n := t.Samples(); n > 0 {
		return float64(t.Sum) / float64(n)
	}
	return 0
}

// A Load line says what a load achieved in the second that ended at At.
type Load struct {
	At    int64           `json:"at_ns"`
	Kinds map[string]Rate `json:"kinds"`
}

// A Rate is the achieved speed of one kind of load, such as 812 fork/s.
type Rate struct {
	Rate float64 `json:"rate"`
	Unit string  `json:"unit"`
}

// A Spike is one of the worst samples of a run so far, taken apart. One of the
// same series and time takes the place of the one before it; the worst of a run
// are the longest of all, as many as ConfigSpikes says.
type Spike struct {
	Series  int              `json:"series"`
	At      int64            `json:"at_ns"`
	Latency int64            `json:"latency_ns"`
	Stages  map[string]int64 `json:"stages,omitempty"`
	Blamed  string           `json:"blamed,omitempty"`
	// Stack is what ran when the timer's interrupt came, as the kernel printed it:
	// functions, the innermost first.
	Stack []string `json:"stack,omitempty"`
}

// A Checkpoint holds the totals of every series: of all intervals that precede
// it in the log, even of those that could not be written. A reader of totals
// needs no others. At is the end of the last of them.
type Checkpoint struct {
	At     int64   `json:"at_ns"`
	Series []Total `json:"series"`
}

// A Total is the whole of one series so far.
type Total struct {
	SeriesInfo
	Tally
	// Last is the latency of the newest sample in ns, 0 when unknown.
	Last int64 `json:"last_ns,omitempty"`
}

// An End closes a run. A log without one was cut short.
type End struct {
	// Reason is why the run ended: duration, signal, break, closed, error, or
	// ReasonImported.
	Reason string `json:"reason"`
	// Seconds is the measured time, without the warm-up; 0 when an imported file
	// does not tell.
	Seconds float64 `json:"seconds,omitempty"`
	Series  []Total `json:"series"`
	// After is what changed on the machine during the run.
	After    Figures  `json:"after,omitempty"`
	Gates    []Gate   `json:"gates,omitempty"`
	Verdict  Verdict  `json:"verdict"`
	Warnings []string `json:"warnings,omitempty"`
	// Unlogged are the records that the run log lacks, since they could not be
	// written. They are in Series all the same.
	Unlogged int `json:"unlogged,omitempty"`
	// Error is what went wrong, when Verdict is VerdictError.
	Error string `json:"error,omitempty"`
}

// ReasonImported is the Reason of runs that another tool measured.
const ReasonImported = "imported"

// A Verdict is the outcome of a run.
type Verdict string

// The verdicts, with the exit status that each stands for.
const (
	Pass         Verdict = "pass"        // 0
	VerdictError Verdict = "error"       // 1: failed to measure
	Fail         Verdict = "fail"        // 3: a gate or a break says no
	Contradicts  Verdict = "contradicts" // 5: the figures contradict themselves
)

// A Gate is a limit on a figure and whether it held.
type Gate struct {
	// Name is the option that asked for it: max, percentile 99.999, max-overruns,
	// max-lost, break.
	Name   string `json:"name"`
	Series int    `json:"series"`
	// Limit and Value are in ns for latencies, else counts.
	Limit float64 `json:"limit"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit,omitempty"`
	Pass  bool    `json:"pass"`
}

func (*Header) recordType() string     { return "run" }
func (*Interval) recordType() string   { return "interval" }
func (*Load) recordType() string       { return "load" }
func (*Spike) recordType() string      { return "spike" }
func (*Checkpoint) recordType() string { return "checkpoint" }
func (*End) recordType() string        { return "end" }
