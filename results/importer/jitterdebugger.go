package importer

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// sniffJitterdebugger accepts results.json of jitterdebugger.
func sniffJitterdebugger(head []byte) bool {
	return bytes.Contains(head, []byte(`"cpu"`)) && bytes.Contains(head, []byte(`"histogram"`)) &&
		bytes.Contains(head, []byte(`"count"`))
}

// readJitterdebugger reads results.json of jitterdebugger. Its key is the number
// of the thread and not of the CPU; resolution_in_ns is the size of the unit;
// samples of a millisecond and more are counted but have no bucket. Versions
// before 3 tell neither host nor unit.
func readJitterdebugger(text []byte, o foreign.Options) ([]*foreign.Draft, error) {
	r := &jitter{t: rtTest{draft: foreign.NewDraft("jitterdebugger", "jitterdebugger", len(text))}}
	s := foreign.NewScanner(text)
	s.Object(func(key []byte) { r.member(s, string(key)) })
	if s.Err() != nil {
		return nil, s.Err()
	}
	t := &r.t
	if t.draft.Err() != nil {
		return nil, t.draft.Err()
	}
	if t.threads.Len() == 0 {
		return nil, foreign.ErrNoFigures
	}
	err := foreign.ErrUnit
	for _, th := range t.threads.All() {
		if t.unit != 0 {
			break
		}
		least, _ := foreign.ParseTimeF(th.min, 1)
		most, _ := foreign.ParseTimeF(th.max, 1)
		t.unit, err = o.DecideUnit(least, most)
	}
	if t.unit == 0 {
		return nil, err
	}
	for _, th := range t.threads.All() {
		t.series(t.draft.Series(results.Labels{"thread": th.id}), th)
	}
	return []*foreign.Draft{t.draft}, nil
}

// A jitter is results.json while it is read. Its threads are much like those of
// rt-tests.
type jitter struct{ t rtTest }

func (r *jitter) member(s *foreign.Scanner, key string) {
	switch key {
	case "version":
		r.t.draft.Set("version", string(s.Number()))
	case "sysinfo":
		s.Object(func(key []byte) {
			if string(key) != "resolution_in_ns" {
				r.t.sysinfo(s, string(key))
				return
			}
			if n, ok := s.Count(); ok && n > 0 && n <= int64(time.Millisecond) {
				r.t.unit = time.Duration(n)
			}
		})
	case "cpu":
		s.Object(func(key []byte) { r.thread(s, key) })
	default:
		s.Skip()
	}
}

func (r *jitter) thread(s *foreign.Scanner, id []byte) {
	if !r.t.draft.Spend(400 + len(id)) {
		s.Skip()
		return
	}
	th := r.t.threads.Append(rtThread{id: string(id)})
	s.Object(func(key []byte) {
		if string(key) == "count" {
			th.cycles, th.hasCycles = s.Count()
			return
		}
		r.t.figure(s, th, string(key))
	})
}

// A record of samples.raw: thread, date and value, packed, in the byte order of
// little-endian machines. It is 20 bytes where time_t has 32 bits.
const (
	rawRecord   = 28
	rawRecord32 = 20
)

// sniffRaw accepts what can only be samples.raw: its first records have small
// thread numbers, dates since the boot, and plausible latencies.
func sniffRaw(head []byte) bool { return rawSize(head) != 0 }

// rawSize is the size of records, 0 when text has no such records.
func rawSize(text []byte) int {
	for _, size := range []int{rawRecord, rawRecord32} {
		ok := len(text) >= size
		for i := 0; ok && i < 16 && (i+1)*size <= len(text); i++ {
			thread, sec, nsec, val := rawFields(text[i*size : (i+1)*size])
			ok = thread < 1<<14 && sec >= 0 && sec < 1<<40 && nsec >= 0 && nsec < 1e9 && sec+nsec > 0 && val < 1e12
		}
		if ok {
			return size
		}
	}
	return 0
}

func rawFields(b []byte) (thread uint32, sec, nsec int64, val uint64) {
	le := binary.LittleEndian
	thread = le.Uint32(b)
	if len(b) == rawRecord32 {
		return thread, int64(int32(le.Uint32(b[4:]))), int64(int32(le.Uint32(b[8:]))), le.Uint64(b[12:])
	}
	return thread, int64(le.Uint64(b[4:])), int64(le.Uint64(b[12:])), le.Uint64(b[20:])
}

// readRaw reads samples.raw of jitterdebugger, every sample with its date. The
// unit is not in the file.
func readRaw(text []byte, o foreign.Options) ([]*foreign.Draft, error) {
	size := rawSize(text)
	if size == 0 {
		return nil, foreign.ErrNoFigures
	}
	least, most := ^uint64(0), uint64(0)
	for rest := text; len(rest) >= size; rest = rest[size:] {
		_, _, _, val := rawFields(rest[:size])
		least, most = min(least, val), max(most, val)
	}
	unit, err := o.DecideUnit(float64(least), float64(most))
	if err != nil {
		return nil, err
	}
	r := &samples{draft: foreign.NewDraft("jitterdebugger", "jitterdebugger-raw", len(text)), series: map[string]*sampled{}}
	for rest := text; len(rest) >= size && r.draft.Err() == nil; rest = rest[size:] {
		thread, sec, nsec, val := rawFields(rest[:size])
		if sec < 0 || sec >= foreign.MaxFigure/1_000_000_000 || nsec < 0 || nsec >= 1e9 || val > results.Highest {
			r.draft.Warn("the file is damaged at byte %d", len(text)-len(rest))
			break
		}
		id := strconv.FormatUint(uint64(thread), 10)
		r.of(id, func() results.Labels { return results.Labels{"thread": id} }).take(sec*1e9+nsec, int64(val)*int64(unit), 0)
	}
	if len(text)%size != 0 {
		r.draft.Warn("the file ends in the middle of a record")
	}
	return r.finish()
}
