package switchbench

import (
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/session"
)

// TestAPulseAllocatesNothing sends to itself by each mechanism with which a
// thread can.
func TestAPulseAllocatesNothing(t *testing.T) {
	for _, m := range Mechanisms() {
		if slices.Contains([]Mechanism{PIFutex, Yield, Deadline}, m) {
			continue // nobody can wait for a lock of their own
		}
		t.Run(string(m), func(t *testing.T) {
			runtime.LockOSThread() // never unlocked: all signals are blocked on it
			if err := sys.BlockSignals(); err != nil {
				t.Fatal(err)
			}
			h, err := newHub(m, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer h.close()
			j := &join{
				arguments: &arguments{Mechanism: m, Links: 1, Semaphores: h.semaphores, Rings: h.rings, Private: true},
				memory:    h.memory, files: h.files[1:],
			}
			in, err := j.newLink(0, false)
			if err != nil {
				t.Fatal(err)
			}
			out, err := j.newLink(0, true)
			if err != nil {
				t.Fatal(err)
			}
			out.begin()
			last := uint32(0)
			var failed unix.Errno
			allocations := testing.AllocsPerRun(1000, func() {
				out.publish(1, 2)
				if errno := out.pulse(); errno != 0 {
					failed = errno
				}
				if errno := in.await(last); errno != 0 {
					failed = errno
				}
				last++
			})
			if allocations != 0 || failed != 0 {
				t.Errorf("%g allocations a pulse, error %v", allocations, failed)
			}
			if *in.sequence != last {
				t.Errorf("%d pulses, want %d", *in.sequence, last)
			}
		})
	}
}

// TestAFullLinkDoesNotHoldTheWakerUp sends to nobody.
func TestAFullLinkDoesNotHoldTheWakerUp(t *testing.T) {
	for _, m := range []Mechanism{Pipe, Socketpair, Seqpacket, MQueue, Semaphore, Eventfd} {
		t.Run(string(m), func(t *testing.T) {
			h, err := newHub(m, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer h.close()
			j := &join{arguments: &arguments{Mechanism: m, Links: 1, Semaphores: h.semaphores}, memory: h.memory, files: h.files[1:]}
			out, err := j.newLink(0, true)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 70_000 {
				if errno := out.pulse(); !behind(errno) {
					t.Fatalf("pulse %d: %v", i, errno)
				}
			}
		})
	}
}

// TestTheLedgerAccountsForEveryPeriod gives it rows of a period of 10 ns, from
// 1000 to 2000, and ends at 2000.
func TestTheLedgerAccountsForEveryPeriod(t *testing.T) {
	type row struct{ due, round int64 }
	type counts struct{ Samples, Lost, Overruns int64 }
	for _, test := range []struct {
		name string
		rows []row
		left int64
		want counts
	}{
		{"none missing", []row{{1000, 1}, {1010, 2}, {1020, 3}}, 0, counts{3, 0, 0}},
		{"two lost", []row{{1000, 1}, {1030, 4}}, 0, counts{2, 2, 0}},
		{"two overruns", []row{{1000, 1}, {1030, 2}}, 0, counts{2, 0, 2}},
		{"one of each", []row{{1000, 1}, {1030, 3}}, 0, counts{2, 1, 1}},
		{"some in the warm-up", []row{{970, 1}, {1020, 6}}, 0, counts{1, 2, 0}},
		{"the first pulses of all", []row{{1020, 3}}, 0, counts{1, 2, 0}},
		{"numbers that begin anew", []row{{1000, 1<<32 - 1}, {1030, 2}}, 0, counts{2, 2, 0}},
		{"enough", []row{{1000, 1}, {1010, 2}, {1040, 5}}, 2, counts{2, 0, 0}},
		{"beyond the end", []row{{1980, 1}, {2020, 5}}, 0, counts{1, 1, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got counts
			rec := session.NewRecorder(1, 1000, 10*time.Nanosecond, func(r results.Record) {
				if iv, ok := r.(*results.Interval); ok {
					got.Samples += iv.Count
					got.Lost += iv.Lost
					got.Overruns += iv.Overruns
				}
			})
			rec.SetEnd(2000)
			first := test.rows[0]
			g := &ledger{period: 10, due: first.due - 10, round: uint32(first.round - 1), left: test.left}
			if test.name == "the first pulses of all" {
				g.due, g.round = 990, 0
			}
			for _, r := range test.rows {
				g.take(rec, []int64{r.due, 5, r.round})
			}
			rec.Finish()
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if g.done() != (test.left > 0) {
				t.Errorf("done: %t", g.done())
			}
		})
	}
}

func TestNumbersOfAHub(t *testing.T) {
	h, err := newHub(Futex, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	j := &join{arguments: &arguments{Mechanism: Futex, Links: 2}, memory: h.memory}
	out, err := j.newLink(0, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(slots + 3) {
		out.publish(100+i, 0)
	}
	if round, due := h.sent(); round != slots+3 || due != 100+slots+2 {
		t.Errorf("sent %s of %s", strconv.Itoa(int(round)), strconv.Itoa(int(due)))
	}
}
