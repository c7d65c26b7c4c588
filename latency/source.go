package latency

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strconv"

	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
)

// A Source measures one Config. It is a session.Source.
type Source struct {
	cfg  Config
	warn func(string)

	child *sampler.Child
	idle  *os.File
	watch func(series int, due, late, missed int64)
}

// NewSource takes a Config with its defaults filled in. warn is told, a line
// each, what makes the measurement worth less.
func NewSource(cfg Config, warn func(string)) *Source {
	return &Source{cfg: cfg, warn: warn}
}

// Series is one for each CPU.
func (s *Source) Series() []results.SeriesInfo {
	infos := make([]results.SeriesInfo, len(s.cfg.CPUs))
	for i, cpu := range s.cfg.CPUs {
		infos[i].ID = i
		if cpu != AnyCPU {
			infos[i].Labels = results.Labels{"cpu": strconv.Itoa(cpu)}
		}
		if s.child != nil {
			infos[i].Thread = s.child.Threads[i].TID
		}
	}
	return infos
}

// Open moves the parent out of the way and makes the threads.
func (s *Source) Open(ctx context.Context) error {
	if moved, err := rtsched.KeepOff(s.cfg.CPUs); err != nil {
		return err
	} else if !moved {
		s.warn("every CPU is measured: reading and writing the samples disturbs them")
	}
	if !s.cfg.KeepIdle {
		var err error
		if s.idle, err = rtsched.HoldDMALatency(s.cfg.DMALatency); err != nil {
			s.warn(err.Error() + ": CPUs may fall into deep idle states")
		}
	}
	var err error
	s.child, err = sampler.Start(ctx, s.childConfig(), func(holder string) {
		s.warn("waiting for another measurement on this machine to end (" + holder + ")")
	})
	if err != nil {
		s.release()
	}
	return err
}

func (s *Source) childConfig() sampler.Config {
	c := sampler.Config{
		Loop:    Loop.Name,
		Columns: len(Loop.Columns),
		Args: arguments{
			Period: s.cfg.Period, Timer: s.cfg.Timer, Align: s.cfg.Align, Break: s.cfg.Break,
			Rest: s.cfg.Timer == rtsched.Busy && !s.cfg.AllowThrottle,
		},
		Period:   s.cfg.Period,
		Buffer:   s.cfg.Buffer,
		Spins:    s.cfg.AllowThrottle,
		Unlocked: s.cfg.Unlocked,
		Files:    s.cfg.Freeze,
	}
	for i := range s.cfg.CPUs {
		c.Threads = append(c.Threads, s.cfg.thread(i))
	}
	return c
}

// Threads are the measuring threads, once the source is open.
func (s *Source) Threads() []sampler.ThreadInfo { return s.child.Threads }

// Dates are when the first sample of each thread is due, for a run that begins
// at first.
func (s *Source) Dates(first int64) []int64 {
	dates := make([]int64, len(s.cfg.CPUs))
	for i := range dates {
		dates[i] = first + s.cfg.offset(i, len(dates))
	}
	return dates
}

// Watch makes Drain call f with every sample, before it is recorded.
func (s *Source) Watch(f func(series int, due, late, missed int64)) { s.watch = f }

// Start lets the threads go.
func (s *Source) Start(first, measured int64) error {
	s.child.Go(first, measured)
	return nil
}

// Drain moves the samples of all threads into rec.
func (s *Source) Drain(rec *session.Recorder) error {
	ended := s.child.Beat()
	for i, ring := range s.child.Rings {
		ring.Rows(func(row []int64) { s.record(rec, i, row) })
		if dropped, ok := ring.Dropped(); ok {
			s.mergeDropped(rec, i, dropped)
		}
		faults, involuntary := ring.Switches()
		rec.Switches(i, faults+involuntary)
	}
	if errors.Is(ended, io.EOF) && s.broke() {
		return session.ErrBreak
	}
	return ended
}

// record takes a row {due, late, missed}; a negative missed tells of a pause.
func (s *Source) record(rec *session.Recorder, series int, row []int64) {
	if row[2] < 0 {
		rec.Throttled(series, row[0], -row[2])
		return
	}
	if s.watch != nil {
		s.watch(series, row[0], row[1], row[2])
	}
	rec.Sample(series, row[0], row[1], row[2])
}

// broke tells whether a thread ended at the break value.
func (s *Source) broke() bool {
	for _, t := range s.child.Ended().Threads {
		if t.Reason == reasonBreak {
			return true
		}
	}
	return false
}

// mergeDropped records samples that met a full ring. Extremes that the ring
// doesn't know anew lie within those of the samples dropped before.
func (s *Source) mergeDropped(rec *session.Recorder, series int, d sampler.Dropped) {
	due, late, missed := d.Columns[0], d.Columns[1], d.Columns[2]
	mean := late.Sum / d.Rows
	t := results.Tally{Unrecorded: d.Rows, Sum: late.Sum, Min: mean, Max: mean, MaxAt: due.Max, Overruns: missed.Sum}
	if late.Min != math.MaxInt64 {
		t.Min = late.Min
	}
	if late.Max != math.MinInt64 {
		t.Max, t.MaxAt = late.Max, late.MaxAt
	}
	length := (d.Rows + missed.Sum) * int64(s.cfg.Period)
	rec.Merge(series, due.Max-length, due.Max, &t)
}

// Stop makes the threads return.
func (s *Source) Stop() error { return s.child.Stop() }

// Close ends the child and gives back what the machine was asked for.
func (s *Source) Close() (results.Figures, error) {
	var figures results.Figures
	if ended := s.child.Ended(); ended != nil {
		figures = ended.Figures()
	}
	s.child.Close()
	return figures, s.release()
}

func (s *Source) release() error {
	if s.idle == nil {
		return nil
	}
	err := s.idle.Close()
	s.idle = nil
	return err
}
