package klatency

import (
	"context"
	"errors"
	"slices"
	"time"

	"worstcase/results"
	"worstcase/sampler"
	"worstcase/session"
)

// Threads is a source of periodic threads whose wake-ups can be traced: each
// series is one thread that sleeps until absolute dates on its own CPU.
type Threads interface {
	session.Source
	// Threads are the threads of the series, once the source is open.
	Threads() []sampler.ThreadInfo
	// Dates are when the first sample of each is due, for a run that begins at
	// first.
	Dates(first int64) []int64
	// Watch makes Drain call f with every sample before it is recorded.
	Watch(f func(series int, due, late, missed int64))
}

// worstKept is of how many of the worst wake-ups the stage table speaks.
const worstKept = 10

// A Config says what to make of the wake-ups.
type Config struct {
	// Mode is what the samples are: results.ModeUser those of the threads
	// themselves, ModeKernel the time until the thread is switched in, ModeHandler
	// that until its timer's handler is called.
	Mode string
	// Period of the threads.
	Period time.Duration
	// Stages takes every wake-up apart.
	Stages bool
	// Spikes is how many of the worst wake-ups to record, over all series.
	Spikes int
	// Break ends the run at the first sample above it in the modes that aren't
	// the threads' own; 0: never.
	Break time.Duration
}

// apart tells whether wake-ups are taken apart.
func (c *Config) apart() bool { return c.Stages || c.Spikes > 0 }

// A Source measures the wake-ups of other sources' threads. It is a
// session.Source itself.
type Source struct {
	Threads
	cfg      Config
	tracer   *Tracer
	tids     []int
	joins    []join
	accounts []Account
	owed     []int64 // dropped wake-ups whose samples have not been met yet
	inner    *session.Recorder
	switches []int64
	measured int64
	stopped  bool
	drained  error
	broken   bool
	told     map[[2]int64]bool // spikes, by series and time
	division Division
}

// NewSource measures the wake-ups of threads.
func NewSource(threads Threads, cfg Config) *Source {
	return &Source{Threads: threads, cfg: cfg, told: map[[2]int64]bool{}}
}

// Open opens the threads and attaches the eBPF programs.
func (s *Source) Open(ctx context.Context) error {
	if err := s.Threads.Open(ctx); err != nil {
		return err
	}
	infos := s.Threads.Threads()
	traced := make([]Traced, len(infos))
	s.tids, s.joins, s.owed = make([]int, len(infos)), make([]join, len(infos)), make([]int64, len(infos))
	s.accounts, s.switches = make([]Account, len(infos)), make([]int64, len(infos))
	for i, info := range infos {
		traced[i] = Traced{TID: info.TID, CPU: info.CPU, Period: int64(s.cfg.Period)}
		s.tids[i], s.joins[i].half = info.TID, int64(s.cfg.Period)/2
		s.accounts[i].keep = max(worstKept, s.cfg.Spikes)
	}
	var err error
	if s.tracer, err = Trace(traced, s.cfg.apart()); err != nil {
		_, closed := s.Threads.Close()
		return errors.Join(err, closed)
	}
	s.Watch(func(series int, due, late, missed int64) { s.joins[series].add(row{due, late, missed}) })
	return nil
}

// Start lets the threads go.
func (s *Source) Start(first, measured int64) error {
	s.measured = measured
	// The threads' own samples are not what this source records, but in ModeUser.
	s.inner = session.NewRecorder(len(s.tids), measured, s.cfg.Period, func(rec results.Record) {
		if iv, ok := rec.(*results.Interval); ok {
			s.switches[iv.Series] += iv.Switches
		}
	})
	if err := s.tracer.Learn(s.Dates(first)); err != nil {
		return err
	}
	return s.Threads.Start(first, measured)
}

// Drain moves the samples into rec.
func (s *Source) Drain(rec *session.Recorder) error {
	s.readRows(rec)
	dropped := make([]Dropped, len(s.tids))
	for i := range dropped {
		var err error
		if dropped[i], err = s.tracer.Dropped(i); err != nil {
			return err
		}
		s.owed[i] += dropped[i].Count
	}
	err := s.tracer.Drain(func(w *Wakeup) { s.take(rec, w) })
	for i, d := range dropped {
		s.mergeDropped(rec, i, d)
	}
	if s.stopped {
		for i := range s.joins {
			s.joins[i].rest(func(r row) { s.alone(rec, i, r) })
		}
	}
	s.tell(rec)
	switch {
	case err != nil:
		return err
	case s.drained == nil && s.broken:
		return session.ErrBreak
	}
	return s.drained
}

// tell hands on the spikes that are new, so that a run that is killed keeps
// them, and all of them at the end, when it is known best what is typical.
func (s *Source) tell(rec *session.Recorder) {
	fresh := s.stopped
	for i := range s.accounts {
		fresh = fresh || s.accounts[i].fresh
		s.accounts[i].fresh = false
	}
	if !fresh {
		return
	}
	for _, spike := range s.Spikes() {
		place := [2]int64{int64(spike.Series), spike.At}
		if s.stopped || !s.told[place] {
			s.told[place] = true
			rec.Spike(&spike)
		}
	}
}

// readRows reads the threads' own samples.
func (s *Source) readRows(rec *session.Recorder) {
	if s.cfg.Mode == results.ModeUser {
		s.drained = s.Threads.Drain(rec)
		return
	}
	s.drained = s.Threads.Drain(s.inner)
	for i, n := range s.switches {
		rec.Switches(i, n)
	}
}

// take records a wake-up.
func (s *Source) take(rec *session.Recorder, w *Wakeup) {
	j := &s.joins[w.Thread]
	if j.behind(w.Due) && s.drained == nil {
		s.readRows(rec)
	}
	r, ok := j.take(w.Due, func(r row) { s.alone(rec, w.Thread, r) })
	if !ok {
		return // before the first sample
	}
	end := w.Due + r.late
	switch s.cfg.Mode {
	case results.ModeKernel:
		end = w.In
	case results.ModeHandler:
		end = w.Fired
	}
	if end == 0 { // woken by something else, or unseen
		s.alone(rec, w.Thread, r)
		return
	}
	if s.cfg.Mode != results.ModeUser {
		s.sample(rec, w.Thread, r, end-w.Due)
	}
	if s.cfg.apart() && rec.Measured(w.Due) {
		s.accounts[w.Thread].add(w, s.tids[w.Thread], end, &s.division)
	}
}

// sample records a figure of the kernel's, until the break.
func (s *Source) sample(rec *session.Recorder, series int, r row, latency int64) {
	if s.broken {
		return
	}
	rec.Sample(series, r.due, latency, r.missed)
	s.broken = s.cfg.Break > 0 && latency > int64(s.cfg.Break) && rec.Measured(r.due)
}

// alone counts a sample whose wake-up was not seen: the ring was full, the
// thread had not slept, or the kernel kept it from being traced.
func (s *Source) alone(rec *session.Recorder, series int, r row) {
	if s.owed[series] > 0 {
		s.owed[series]--
		return
	}
	if rec.Measured(r.due) {
		s.accounts[series].Alone++
	}
	if s.cfg.Mode != results.ModeUser && !s.broken {
		rec.Lost(series, r.due, 1)
		rec.Missed(series, r.due, r.missed)
	}
}

// mergeDropped records what the programs kept of wake-ups that met a full ring.
func (s *Source) mergeDropped(rec *session.Recorder, series int, d Dropped) {
	rows := s.joins[series].rows
	if d.Count == 0 || s.cfg.Mode == results.ModeUser || len(rows) == 0 {
		return
	}
	f := d.Kernel
	if s.cfg.Mode == results.ModeHandler {
		f = d.Handler
	}
	last := rows[len(rows)-1].due
	rec.Merge(series, last-d.Count*int64(s.cfg.Period), last, &results.Tally{
		Unrecorded: d.Count, Sum: f.Sum, Min: f.Min, Max: f.Max, MaxAt: last,
	})
}

// Stop ends the measuring.
func (s *Source) Stop() error {
	s.stopped = true
	return s.Threads.Stop()
}

// Close detaches the programs and closes the threads. Beside their figures it
// returns those of the stages.
func (s *Source) Close() (results.Figures, error) {
	err := s.tracer.Close()
	figures, closed := s.Threads.Close()
	if figures == nil {
		figures = results.Figures{}
	}
	for i, info := range s.Series() {
		s.accounts[i].figures(figures, "klatency.cpu"+info.Labels["cpu"]+".")
	}
	return figures, errors.Join(err, closed)
}

// Accounts are those of the series, when wake-ups are taken apart.
func (s *Source) Accounts() []Account { return s.accounts }

// Spikes are the worst wake-ups over all series, as many as were asked for,
// longest first.
func (s *Source) Spikes() []results.Spike {
	var all []results.Spike
	for i := range s.accounts {
		all = append(all, s.accounts[i].spikes(i, s.cfg.Spikes, s.measured)...)
	}
	slices.SortStableFunc(all, func(a, b results.Spike) int { return int(max(-1, min(1, b.Latency-a.Latency))) })
	all = all[:min(s.cfg.Spikes, len(all))]
	if threads, ok := s.Threads.(interface {
		Stack(series int, due int64) []string
	}); ok {
		for i := range all {
			all[i].Stack = threads.Stack(all[i].Series, all[i].At+s.measured)
		}
	}
	return all
}
