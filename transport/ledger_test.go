package transport

import (
	"testing"

	"pgregory.net/rapid"
)

func TestLedger(t *testing.T) {
	upTo := func(n uint64, without ...uint64) (seqs []uint64) {
		for s := uint64(1); s <= n; s++ {
			lost := false
			for _, w := range without {
				lost = lost || w == s
			}
			if !lost {
				seqs = append(seqs, s)
			}
		}
		return seqs
	}
	tests := []struct {
		name                                  string
		seqs                                  []uint64
		received, gaps, duplicates, reordered uint32
	}{
		{"all", upTo(1000), 991, 0, 0, 0},
		{"one lost", upTo(1000, 500), 990, 1, 0, 0},
		{"lost in the warm-up", upTo(1000, 5), 991, 0, 0, 0},
		{"the first one lost", upTo(1000, 10), 990, 1, 0, 0},
		{"the last one lost is seen by the sums", upTo(1000, 1000), 990, 0, 0, 0},
		{"a leap", append(upTo(20), 5000), 12, 4979 - 63, 0, 0},
		{"twice", append(upTo(20), 15, 20), 11, 0, 2, 0},
		{"swapped", append(upTo(20), 22, 21), 13, 0, 0, 1},
		{"hopelessly late", append(upTo(200, 100), 100), 190, 1, 0, 1},
		{"nothing of the warm-up came", []uint64{300, 301}, 2, 290 - 62, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := ledger{measured: newMeasured(1000, 0, 100, 100)} // message 10 is the first
			for _, s := range test.seqs {
				l.note(s, int64(s)*100)
			}
			if l.received != test.received || l.gaps != test.gaps || l.duplicates != test.duplicates || l.reordered != test.reordered {
				t.Errorf("received %d, gaps %d, duplicates %d, reordered %d; want %d, %d, %d, %d",
					l.received, l.gaps, l.duplicates, l.reordered,
					test.received, test.gaps, test.duplicates, test.reordered)
			}
		})
	}
}

// Both ends agree on which messages count, whatever the schedule.
func TestMeasuredNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		period := rapid.Int64Range(1, 1000).Draw(t, "period")
		start := rapid.Int64Range(0, 1000).Draw(t, "start")
		from := start + rapid.Int64Range(0, 5000).Draw(t, "warm-up")
		to := from + rapid.Int64Range(1, 5000).Draw(t, "duration")
		m := newMeasured(from, to, start, period)
		for seq := uint64(1); seq < 20; seq++ {
			due := start + int64(seq-1)*period
			if got, want := m.counts(seq, due), due >= from && due < to; got != want {
				t.Fatalf("message %d, due at %d: counts %v, want %v", seq, due, got, want)
			}
		}
	})
}

// Every number is received, a gap, or still within the window.
func TestLedgerLosesNoNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := ledger{measured: newMeasured(0, 0, 0, 1)}
		seq := uint64(0)
		for range rapid.IntRange(1, 200).Draw(t, "messages") {
			seq += rapid.Uint64Range(1, 100).Draw(t, "step")
			l.note(seq, int64(seq))
		}
		unknown := l.high - uint64(l.received) - uint64(l.gaps)
		if l.received+l.gaps > uint32(l.high) || unknown > window {
			t.Fatalf("of %d numbers %d were received and %d are gaps", l.high, l.received, l.gaps)
		}
	})
}
