package klatency

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"github.com/cilium/ebpf/ringbuf"
	"github.com/cilium/ebpf/rlimit"
)

// A Traced is a thread whose wake-ups are recorded. It must be pinned to CPU.
type Traced struct {
	TID, CPU int
	// Period in ns, and the due time of any of its samples in CLOCK_MONOTONIC
	// ns: they tell its timer from others. First 0 means that it is learnt from
	// the first timer that wakes the thread.
	First, Period int64
}

// A Tracer records wake-ups with eBPF programs. It disturbs the CPUs of the
// traced threads by some ten ns an event, other CPUs by less.
//
// It needs Linux 5.8 with BTF (CONFIG_DEBUG_INFO_BTF), CAP_BPF and CAP_PERFMON
// (CAP_SYS_ADMIN before 5.8's successors knew these). Without them Open
// returns an error that says which of these is missing.
type Tracer struct {
	threads []Traced
	loaded  *ebpf.Collection
	links   []link.Link
	reader  *ringbuf.Reader
	record  ringbuf.Record
	wakeup  Wakeup
	dropped []Dropped
	torn    int
}

// buffered is for how long the ring holds wake-ups that nobody reads.
const buffered = 10 * time.Second

// eventsPerWakeup is what an ordinary wake-up takes, for the ring's length.
const eventsPerWakeup = 16

// ringBytes is the length of the ring in bytes, a power of two.
func ringBytes(threads []Traced) uint32 {
	bytes := 1 << 18
	for _, t := range threads {
		bytes += int(buffered.Nanoseconds()/max(t.Period, 1000)) * (eventsPerWakeup*entrySize + 8)
	}
	return 1 << bits.Len(uint(min(bytes, 1<<28)-1))
}

// Trace loads the programs and attaches them; it returns when they run. Stages
// asks for the events that Wakeup.Divide needs; without it only those of Fired
// and In are recorded, which costs less. The caller closes the tracer.
func Trace(threads []Traced, stages bool) (*Tracer, error) {
	return trace(threads, stages, ringBytes(threads))
}

func trace(threads []Traced, stages bool, ring uint32) (*Tracer, error) {
	t := &Tracer{threads: threads, dropped: make([]Dropped, len(threads))}
	err := t.open(stages, ring)
	if err != nil {
		t.Close()
		return nil, explain(err)
	}
	return t, nil
}

func (t *Tracer) open(stages bool, ring uint32) error {
	// Needed before Linux 5.11 only; where it is, and fails, loading says so.
	_ = rlimit.RemoveMemlock()
	spec, err := loadWakeups()
	if err != nil {
		return fmt.Errorf("read the eBPF programs: %w", err)
	}
	cache := btf.NewCache()
	kernel, err := cache.Kernel()
	if err != nil {
		return fmt.Errorf("read the kernel's type information: %w", err)
	}
	hooks, err := choose(spec, kernel, stages)
	if err != nil {
		return err
	}
	if err := t.configure(spec, ring); err != nil {
		return err
	}
	if t.loaded, err = ebpf.NewCollectionWithOptions(spec, ebpf.CollectionOptions{Cache: cache}); err != nil {
		return fmt.Errorf("load the eBPF programs: %w", err)
	}
	if err := t.name(); err != nil {
		return err
	}
	t.reader, err = ringbuf.NewReader(t.loaded.Maps["wakeups"])
	if err != nil {
		return fmt.Errorf("map the ring of the eBPF programs: %w", err)
	}
	return t.attach(hooks)
}

// configure puts the threads' CPUs and ids into the programs.
func (t *Tracer) configure(spec *ebpf.CollectionSpec, ring uint32) error {
	cpus := make([]int, len(t.threads))
	for i, th := range t.threads {
		cpus[i] = th.CPU
	}
	slots, err := slotsOf(cpus)
	if err != nil {
		return err
	}
	spec.Maps["slots"].MaxEntries = uint32(len(t.threads))
	spec.Maps["wakeups"].MaxEntries = ring
	if err := spec.Variables["slot_of_cpu"].Set(slots); err != nil {
		return fmt.Errorf("tell the eBPF programs their cpus: %w", err)
	}
	return nil
}

// name tells the loaded programs which threads to follow.
func (t *Tracer) name() error {
	for i, th := range t.threads {
		slot := wakeupsSlot{Tid: uint32(th.TID), Cpu: uint32(th.CPU), First: uint64(th.First), Period: uint64(th.Period)}
		if err := t.loaded.Maps["slots"].Put(uint32(i), &slot); err != nil {
			return fmt.Errorf("name thread %d to the eBPF programs: %w", th.TID, err)
		}
	}
	return nil
}

// Learn sets the due time of one sample of each thread, where Traced.First
// was not known when tracing began.
func (t *Tracer) Learn(first []int64) error {
	for i := range t.threads {
		var slot wakeupsSlot
		if err := t.loaded.Maps["slots"].Lookup(uint32(i), &slot); err != nil {
			return fmt.Errorf("read slot of thread %d: %w", t.threads[i].TID, err)
		}
		slot.First = uint64(first[i])
		if err := t.loaded.Maps["slots"].Put(uint32(i), &slot); err != nil {
			return fmt.Errorf("write slot of thread %d: %w", t.threads[i].TID, err)
		}
	}
	return nil
}

// Drain calls f with every wake-up that ended since the last call, in order for
// each thread. The wake-up is valid during the call only.
func (t *Tracer) Drain(f func(*Wakeup)) error {
	t.reader.SetDeadline(time.Unix(1, 0))
	for {
		err := t.reader.ReadInto(&t.record)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the ring of the eBPF programs: %w", err)
		}
		w := &t.wakeup
		if w.decode(t.record.RawSample) != nil || w.Thread >= len(t.threads) {
			t.torn++
			continue
		}
		w.mark(uint32(t.threads[w.Thread].TID))
		f(w)
	}
}

// Dropped is what the programs kept of wake-ups that found the ring full.
type Dropped struct {
	// Count is the number of those with figures, Unseen that of the others:
	// the events that say how the thread came to run were missing.
	Count, Unseen   int64
	Handler, Kernel DroppedFigures
}

// DroppedFigures are in ns, as Fired and In count from Due.
type DroppedFigures struct {
	Sum, Min, Max int64
}

// Dropped returns what was dropped of a thread's wake-ups since the last call.
// Minimum and maximum are those of the whole run.
func (t *Tracer) Dropped(thread int) (Dropped, error) {
	var slot wakeupsSlot
	if err := t.loaded.Maps["slots"].Lookup(uint32(thread), &slot); err != nil {
		return Dropped{}, fmt.Errorf("read slot of thread %d: %w", t.threads[thread].TID, err)
	}
	now := Dropped{
		int64(slot.Dropped), int64(slot.Unseen),
		DroppedFigures{int64(slot.HandlerSum), int64(slot.HandlerMin), int64(slot.HandlerMax)},
		DroppedFigures{int64(slot.SwitchSum), int64(slot.SwitchMin), int64(slot.SwitchMax)},
	}
	news, last := now, &t.dropped[thread]
	news.Count -= last.Count
	news.Unseen -= last.Unseen
	news.Handler.Sum -= last.Handler.Sum
	news.Kernel.Sum -= last.Kernel.Sum
	*last = now
	return news, nil
}

// Torn is the number of records that could not be read.
func (t *Tracer) Torn() int { return t.torn }

// Close detaches the programs and frees all that they used.
func (t *Tracer) Close() error {
	var errs []error
	for _, l := range t.links {
		errs = append(errs, l.Close())
	}
	if t.reader != nil {
		errs = append(errs, t.reader.Close())
	}
	if t.loaded != nil {
		t.loaded.Close()
	}
	return errors.Join(errs...)
}
