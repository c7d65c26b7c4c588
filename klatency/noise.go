package klatency

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/rlimit"
	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/session"
)

// A Noise measures what a thread that never sleeps loses of its CPU: a thread
// of SCHED_OTHER polls the clock, eBPF programs count who ran instead. Samples
// are the gaps. It is a session.Source; it needs what a Tracer needs.
type Noise struct {
	cfg    NoiseConfig
	warn   func(string)
	loaded *ebpf.Collection
	links  []link.Link
	child  *sampler.Child
	begin  int64
	base   []interferenceCpu
	last   []interferenceCpu // once the threads have been stopped
	end    int64
	found  []NoiseFigures
	takers []Taker
}

// NewNoise measures with the configuration.
func NewNoise(cfg NoiseConfig, warn func(string)) *Noise {
	return &Noise{cfg: cfg, warn: warn, found: make([]NoiseFigures, len(cfg.CPUs))}
}

// Series is one for each CPU.
func (s *Noise) Series() []results.SeriesInfo { return noiseSeries(s.cfg.CPUs) }

// Open loads the programs and makes the threads.
func (s *Noise) Open(ctx context.Context) error {
	if _, err := rtsched.KeepOff(s.cfg.CPUs); err != nil {
		return err
	}
	err := s.load()
	if err == nil {
		err = s.startThreads(ctx)
	}
	if err == nil {
		err = s.attach()
	}
	if err != nil {
		s.close()
		return explain(err)
	}
	return nil
}

func (s *Noise) load() error {
	_ = rlimit.RemoveMemlock() // where it is needed and fails, loading says so
	spec, err := loadInterference()
	if err != nil {
		return fmt.Errorf("read the eBPF programs: %w", err)
	}
	cache := btf.NewCache()
	kernel, err := cache.Kernel()
	if err != nil {
		return fmt.Errorf("read the kernel's type information: %w", err)
	}
	for name, program := range spec.Programs {
		h := hook{target: program.AttachTo}
		if !h.in(kernel) {
			delete(spec.Programs, name) // another architecture's
		}
	}
	slots, err := slotsOf(s.cfg.CPUs)
	if err != nil {
		return err
	}
	spec.Maps["cpus"].MaxEntries = uint32(len(s.cfg.CPUs))
	if err := spec.Variables["slot_of_cpu"].Set(slots); err != nil {
		return fmt.Errorf("tell the eBPF programs their cpus: %w", err)
	}
	s.loaded, err = ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{Cache: cache})
	if err != nil {
		return fmt.Errorf("load the eBPF programs: %w", err)
	}
	return nil
}

func (s *Noise) startThreads(ctx context.Context) error {
	counters := s.loaded.Maps["cpus"]
	words := int(counters.ValueSize()+7) / 8
	page := os.Getpagesize()
	fd, err := unix.Dup(counters.FD())
	if err != nil {
		return fmt.Errorf("pass the interference counters on: %w", err)
	}
	file := os.NewFile(uintptr(fd), "interferences")
	defer file.Close()
	cfg := sampler.Config{
		Loop: NoiseLoop.Name, Columns: len(NoiseLoop.Columns), Period: 100 * time.Microsecond, Spins: true, Files: []*os.File{file},
		Args: noiseArguments{Threshold: s.cfg.Threshold, Words: words, Bytes: (len(s.cfg.CPUs)*words*8 + page - 1) / page * page},
	}
	for _, cpu := range s.cfg.CPUs {
		cfg.Threads = append(cfg.Threads, rtsched.Thread{Name: fmt.Sprintf("noise-%d", cpu), Policy: rtsched.Other, CPU: cpu})
	}
	s.child, err = sampler.Start(ctx, cfg, func(holder string) {
		s.warn("waiting for another measurement on this machine to end (" + holder + ")")
	})
	return err
}

func (s *Noise) attach() error {
	for i, t := range s.child.Threads {
		if err := s.loaded.Maps["cpus"].Put(uint32(i), &interferenceCpu{Tid: uint32(t.TID)}); err != nil {
			return fmt.Errorf("name thread %d to the eBPF programs: %w", t.TID, err)
		}
	}
	for _, p := range s.loaded.Programs {
		l, err := link.AttachTracing(link.TracingOptions{Program: p})
		if err != nil {
			return fmt.Errorf("attach %s: %w", p, err)
		}
		s.links = append(s.links, l)
	}
	return nil
}

// Start lets the threads poll. Figures begin with the measured time.
func (s *Noise) Start(first, measured int64) error {
	s.child.Go(first, measured)
	s.begin = measured
	return nil
}

// counters reads what the programs have counted on each CPU.
func (s *Noise) counters() ([]interferenceCpu, error) {
	all := make([]interferenceCpu, len(s.cfg.CPUs))
	for i := range all {
		if err := s.loaded.Maps["cpus"].Lookup(uint32(i), &all[i]); err != nil {
			return nil, fmt.Errorf("read the interference counters of cpu %d: %w", s.cfg.CPUs[i], err)
		}
	}
	return all, nil
}

// Drain records the gaps.
func (s *Noise) Drain(rec *session.Recorder) error {
	ended := s.child.Beat()
	now, all := s.end, s.last
	if all == nil {
		if now = sys.Nanotime(); now >= s.begin {
			var err error
			if all, err = s.counters(); err != nil {
				return err
			}
		}
	}
	if s.base == nil && all != nil {
		s.base, s.begin = all, now // the counters begin here, so the gaps do, too
		if err := s.forgetTakers(); err != nil {
			return err
		}
	}
	for i, ring := range s.child.Rings {
		f := &s.found[i]
		ring.Rows(func(row []int64) {
			rec.Sample(i, row[0], row[1], 0)
			if s.base == nil || row[0] < s.begin {
				return
			}
			f.Total += row[1]
			f.MaxGap = max(f.MaxGap, row[1])
			if row[2] == 0 {
				f.Hardware.Count++
				f.Hardware.NS += row[1]
			}
		})
		if s.base != nil {
			f.Runtime = now - s.begin
			f.count(&s.base[i], &all[i])
		}
	}
	if errors.Is(ended, io.EOF) {
		return nil
	}
	return ended
}

// count takes what the programs counted between two readings.
func (f *NoiseFigures) count(from, to *interferenceCpu) {
	f.NMI = NoiseSource{int64(to.Nmi.Count - from.Nmi.Count), int64(to.Nmi.Ns - from.Nmi.Ns)}
	f.IRQ = NoiseSource{int64(to.Irq.Count - from.Irq.Count), int64(to.Irq.Ns - from.Irq.Ns)}
	f.Softirq = NoiseSource{int64(to.Softirq.Count - from.Softirq.Count), int64(to.Softirq.Ns - from.Softirq.Ns)}
	f.Thread = NoiseSource{int64(to.Thread.Count - from.Thread.Count), int64(to.Thread.Ns - from.Thread.Ns)}
}

// Stop makes the threads return. What others took is read before: once they
// have ended, the idle thread runs.
func (s *Noise) Stop() error {
	var err error
	if s.base != nil {
		s.end = sys.Nanotime()
		s.last, err = s.counters()
	}
	err = errors.Join(err, s.readTakers())
	return errors.Join(s.child.Stop(), err)
}

// forgetTakers begins their figures anew.
func (s *Noise) forgetTakers() error {
	var pids []uint32
	var pid uint32
	var t interferenceTaker
	takers := s.loaded.Maps["takers"]
	for all := takers.Iterate(); all.Next(&pid, &t); {
		pids = append(pids, pid)
	}
	for _, pid := range pids {
		if err := takers.Delete(pid); err != nil && !errors.Is(err, ebpf.ErrKeyNotExist) {
			return fmt.Errorf("forget what thread %d took: %w", pid, err)
		}
	}
	return nil
}

// readTakers reads what each thread took in the measured time.
func (s *Noise) readTakers() error {
	var pid uint32
	var t interferenceTaker
	all := s.loaded.Maps["takers"].Iterate()
	for all.Next(&pid, &t) {
		name := make([]byte, len(t.Comm))
		for i, c := range t.Comm {
			name[i] = byte(c)
		}
		s.takers = append(s.takers, Taker{int(pid), comm(name), NoiseSource{int64(t.Count), int64(t.Ns)}})
	}
	sortTakers(s.takers)
	return all.Err()
}

// Takers are the threads that ran on the measured CPUs instead of the polling
// ones, those that took most first.
func (s *Noise) Takers() []Taker { return s.takers }

// Figures are those of each CPU.
func (s *Noise) Figures() []NoiseFigures { return s.found }

// Close detaches the programs and ends the child.
func (s *Noise) Close() (results.Figures, error) {
	return noiseRecord(s.cfg.CPUs, s.found), s.close()
}

func (s *Noise) close() error {
	var errs []error
	for _, l := range s.links {
		errs = append(errs, l.Close())
	}
	if s.child != nil {
		s.child.Close()
	}
	if s.loaded != nil {
		s.loaded.Close()
	}
	return errors.Join(errs...)
}
