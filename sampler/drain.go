package sampler

import (
	"math"
	"slices"
	"sync/atomic"
)

// A Drain is the reading end of one thread's ring.
type Drain struct {
	words   []uint32
	values  []int64
	rows    []int64
	columns int
	mask    uint32
	tail    uint32
	dropped Dropped
}

// Dropped is what a full ring kept of the rows that it had no place for.
type Dropped struct {
	Rows    int64
	Columns []Column
}

// A Column holds one column's figures over the dropped rows.
type Column struct {
	Sum, Min, Max int64
	// MaxAt is the due time of the row that was the maximum.
	MaxAt int64
}

func newDrain(s *shared, thread int) *Drain {
	d := &Drain{columns: s.columns, mask: uint32(s.rows - 1)}
	d.words, d.values, d.rows = s.ring(thread)
	d.dropped.Columns = make([]Column, s.columns)
	return d
}

// Rows calls f with every row that came since the last call, in order. The
// slice is valid during the call only.
func (d *Drain) Rows(f func(row []int64)) {
	head := atomic.LoadUint32(&d.words[wordHead])
	for ; d.tail != head; d.tail++ {
		at := int(d.tail&d.mask) * d.columns
		f(d.rows[at : at+d.columns])
		// Give places back as we go: a long drain must not keep the ring full.
		if d.tail&0xfff == 0xfff {
			atomic.StoreUint32(&d.words[wordTail], d.tail+1)
		}
	}
	atomic.StoreUint32(&d.words[wordTail], d.tail)
}

// Dropped returns what was dropped since the last call, and false when that is
// nothing. A column's Min and Max are those of the whole run, and only where
// they changed: else Min is the largest integer and Max the smallest.
func (d *Drain) Dropped() (Dropped, bool) {
	now, ok := d.accumulators()
	if !ok || now.Rows == d.dropped.Rows {
		return Dropped{}, false
	}
	news := Dropped{Rows: now.Rows - d.dropped.Rows, Columns: slices.Clone(now.Columns)}
	for i, old := range d.dropped.Columns {
		c := &news.Columns[i]
		c.Sum -= old.Sum
		if d.dropped.Rows > 0 && c.Min == old.Min {
			c.Min = math.MaxInt64
		}
		if d.dropped.Rows > 0 && c.Max == old.Max {
			c.Max = math.MinInt64
		}
	}
	d.dropped = now
	return news, true
}

// accumulators reads them between two equal, even readings of their sequence.
// It gives up after some tries: a child killed in mid-write leaves it odd.
func (d *Drain) accumulators() (Dropped, bool) {
	for range 1000 {
		sequence := atomic.LoadUint32(&d.words[wordSequence])
		if sequence&1 != 0 {
			continue
		}
		a := Dropped{Rows: d.values[valueDropped], Columns: make([]Column, d.columns)}
		if a.Rows == d.dropped.Rows {
			return d.dropped, true
		}
		for c := range a.Columns {
			v := d.values[valueDropped+1+c*perColumn:]
			a.Columns[c] = Column{Sum: v[columnSum], Min: v[columnMin], Max: v[columnMax], MaxAt: v[maxAt]}
		}
		if atomic.LoadUint32(&d.words[wordSequence]) == sequence {
			return a, true
		}
	}
	return Dropped{}, false
}

// Switches are the thread's page faults and involuntary context switches since
// the measured start, as last read by the child, once a second.
func (d *Drain) Switches() (faults, involuntary int64) {
	return int64(atomic.LoadUint32(&d.words[wordFaults])), int64(atomic.LoadUint32(&d.words[wordSwitches]))
}
