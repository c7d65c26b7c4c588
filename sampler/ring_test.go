package sampler

import (
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"worstcase/rtsched"
)

// TestRingBetweenProcesses sends rows that check themselves as fast as the ring
// takes them: each arrives once, whole and in order, or is in the accumulators.
func TestRingBetweenProcesses(t *testing.T) {
	rows := int64(100_000_000)
	if testing.Short() {
		rows /= 100
	}
	c := startChild(t, Config{
		Loop: "flood", Columns: 3, Args: rows, Period: time.Microsecond, Buffer: 100 * time.Millisecond,
		Threads: []rtsched.Thread{{Name: "flood", Policy: rtsched.Other, CPU: -1}},
	})
	c.Go(0, 0)
	var got, dropped, sum, last int64 = 0, 0, 0, -1
	for done := false; !done; {
		err := c.Beat()
		if done = errors.Is(err, io.EOF); err != nil && !done {
			t.Fatal(err)
		}
		c.Rings[0].Rows(func(row []int64) {
			if row[0] <= last || row[1] != row[0]*3 || row[2] != row[0]^row[1] {
				t.Fatalf("row %v after row %d", row, last)
			}
			last = row[0]
			sum += row[0]
			got++
		})
		if d, ok := c.Rings[0].Dropped(); ok {
			dropped += d.Rows
			sum += d.Columns[0].Sum
		}
	}
	if got+dropped != rows || sum != rows*(rows-1)/2 {
		t.Errorf("%d rows and %d dropped with sum %d, want %d with sum %d", got, dropped, sum, rows, rows*(rows-1)/2)
	}
	t.Logf("%d rows came, %d were dropped", got, dropped)
}

// TestFullRingLosesNoFigure lets random rows meet a ring of random fullness.
func TestFullRingLosesNoFigure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fd, s, err := createShared(1, 2, 64)
		if err != nil {
			t.Fatal(err)
		}
		defer closeShared(fd, s)
		ring, drain := newRing(s, 0), newDrain(s, 0)
		var want, got figures
		take := func() {
			drain.Rows(func(row []int64) { got.add(row[1], row[0]) })
			if d, ok := drain.Dropped(); ok {
				got.merge(d)
			}
		}
		for due := range int64(rapid.IntRange(1, 500).Draw(t, "rows")) {
			v := rapid.Int64Range(-1000, 1<<40).Draw(t, "value")
			ring.Put([]int64{due, v})
			want.add(v, due)
			if rapid.IntRange(0, 99).Draw(t, "drain") == 0 {
				take()
			}
		}
		take()
		if got.count != want.count || got.sum != want.sum || got.min != want.min || got.max != want.max {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}

type figures struct {
	count, sum, min, max int64
}

func (f *figures) add(v, _ int64) {
	if f.count == 0 {
		f.min, f.max = math.MaxInt64, math.MinInt64
	}
	f.count++
	f.sum += v
	f.min, f.max = min(f.min, v), max(f.max, v)
}

func (f *figures) merge(d Dropped) {
	c := d.Columns[1]
	if f.count == 0 {
		f.min, f.max = math.MaxInt64, math.MinInt64
	}
	f.count += d.Rows
	f.sum += c.Sum
	f.min, f.max = min(f.min, c.Min), max(f.max, c.Max)
}

func TestRowsFor(t *testing.T) {
	for _, tc := range []struct {
		period, length time.Duration
		want           int
	}{
		{100 * time.Microsecond, 10 * time.Second, 131072},
		{time.Second, 10 * time.Second, 64},
		{time.Nanosecond, time.Millisecond, 1024},
	} {
		if got := rowsFor(tc.period, tc.length); got != tc.want {
			t.Errorf("%s at a period of %s is %d rows, want %d", tc.length, tc.period, got, tc.want)
		}
	}
}

func TestNothingIsAllocatedForARow(t *testing.T) {
	fd, s, err := createShared(1, 3, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer closeShared(fd, s)
	ring, row := newRing(s, 0), []int64{1, 2, 3}
	if n := testing.AllocsPerRun(1000, func() { ring.Put(row) }); n != 0 {
		t.Errorf("%g allocations a row", n)
	}
}

func BenchmarkPut(b *testing.B) {
	fd, s, err := createShared(1, 3, 64)
	if err != nil {
		b.Fatal(err)
	}
	defer closeShared(fd, s)
	ring, drain, row := newRing(s, 0), newDrain(s, 0), []int64{1, 2, 3}
	for i := 0; b.Loop(); i++ {
		ring.Put(row)
		if i&31 == 0 {
			drain.Rows(func([]int64) {})
		}
	}
}
