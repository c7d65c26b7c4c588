package foreign

import (
	"errors"
	"fmt"

	"worstcase/results"
)

// ErrSize is what reading fails with when a file would take far more memory
// than its length: nothing that a tool wrote does.
var ErrSize = errors.New("the file unpacks to more than ten times its size")

// A Draft is a run as another tool's file tells it, while the file is read.
// Figures start as missing and become known one by one. Its methods remember
// the first error, after which they do nothing; Run reports it.
type Draft struct {
	Header    results.Header
	Seconds   float64 // measured time, 0 when unknown
	After     results.Figures
	Warnings  []string
	Gates     []results.Gate
	series    []*Series
	intervals List[results.Interval]
	spikes    []results.Spike
	budget    int
	err       error
}

// NewDraft begins a run of tool, which is read from a text of size bytes in the
// named format.
func NewDraft(tool, format string, size int) *Draft {
	return &Draft{
		Header: results.Header{
			Schema: results.Schema,
			Tool:   tool,
			Config: map[string]any{"imported": format},
			Host:   results.Facts{},
		},
		After:  results.Figures{},
		budget: 1<<19 + 8*size,
	}
}

// Series adds a series. Labels may be nil.
func (d *Draft) Series(labels results.Labels) *Series {
	s := &Series{ID: len(d.series), Labels: labels, draft: d}
	s.Tally.Missing = results.NoCount | results.NoMin | results.NoMean | results.NoPercentiles |
		results.NoMax | results.NoMaxAt | results.NoOverruns | results.NoLost
	if d.Spend(1200) {
		d.series = append(d.series, s)
	}
	return s
}

// Find returns the id of the first series that has all of the labels, else 0.
func (d *Draft) Find(labels results.Labels) int {
	for _, s := range d.series {
		found := true
		for key, value := range labels {
			found = found && s.Labels[key] == value
		}
		if found {
			return s.ID
		}
	}
	return 0
}

// Interval adds what a series measured in some stretch of time.
func (d *Draft) Interval(i results.Interval) {
	if d.Spend(300) {
		d.intervals.Append(i)
	}
}

// Spike adds one of the worst samples, whose At counts from the header's T0.
func (d *Draft) Spike(sp results.Spike) {
	if d.Spend(300) {
		d.spikes = append(d.spikes, sp)
	}
}

// Warn notes something that a reader of the figures must know.
func (d *Draft) Warn(format string, args ...any) {
	if d.Spend(200) {
		d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
	}
}

// Set notes an option or circumstance of the run, unless it is empty.
func (d *Draft) Set(key string, value any) {
	if value == "" || value == nil || !d.Spend(100) {
		return
	}
	d.Header.Config[key] = value
}

// Fact notes a fact of the host, unless it is empty.
func (d *Draft) Fact(key, value string) {
	if value != "" && d.Spend(100+len(value)) {
		d.Header.Host[key] = value
	}
}

// Fail makes the draft fail with err, unless it failed before or err is nil.
func (d *Draft) Fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// Err is the first error so far.
func (d *Draft) Err() error { return d.err }

// Spend takes n bytes from the memory that the file's size allows.
func (d *Draft) Spend(n int) bool {
	if d.budget -= n; d.budget < 0 {
		d.Fail(ErrSize)
	}
	return d.err == nil
}

// Run finishes the draft.
func (d *Draft) Run() (*results.Run, error) {
	end := &results.End{
		Reason: results.ReasonImported, Seconds: d.Seconds, After: d.After,
		Gates: d.Gates, Verdict: results.Pass,
	}
	for _, g := range d.Gates {
		if !g.Pass {
			end.Verdict = results.Fail
		}
	}
	for _, s := range d.series {
		s.finish()
		info := results.SeriesInfo{ID: s.ID, Labels: s.Labels, Thread: s.Thread}
		d.Header.Series = append(d.Header.Series, info)
		end.Series = append(end.Series, results.Total{SeriesInfo: info, Tally: s.Tally, Last: s.Last})
	}
	if d.err != nil {
		return nil, d.err
	}
	end.Warnings = d.Warnings
	run := &results.Run{Keep: results.KeepFigures, Intervals: make([]results.Interval, 0, d.intervals.Len())}
	if err := run.Put(&d.Header); err != nil {
		return nil, err
	}
	for _, iv := range d.intervals.All() {
		if err := run.Put(iv); err != nil {
			return nil, err
		}
	}
	for i := range d.spikes {
		if err := run.Put(&d.spikes[i]); err != nil {
			return nil, err
		}
	}
	return run, run.Put(end)
}
