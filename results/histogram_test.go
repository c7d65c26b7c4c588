package results

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBounds(t *testing.T) {
	next := int64(0)
	for i := range highestIndex + 1 {
		low, high := bounds(i)
		if low != next || high < low {
			t.Fatalf("bucket %d is [%d, %d], and the one before ended at %d", i, low, high, next-1)
		}
		if index(low) != i || index(min(high, Highest)) != i {
			t.Fatalf("bucket %d is [%d, %d], whose ends have indices %d and %d", i, low, high, index(low), index(high))
		}
		if low >= subBuckets && (high-low)*1000 > low {
			t.Fatalf("bucket %d is [%d, %d], wider than a thousandth", i, low, high)
		}
		next = high + 1
	}
	if next <= Highest {
		t.Errorf("the last bucket ends at %d, below %d", next-1, int64(Highest))
	}
}

func TestHistogramRecord(t *testing.T) {
	var h Histogram
	for _, ns := range []int64{-1, math.MinInt64, 0, 1, 2047, 2048, 2049, 2050, Highest, Highest + 1, math.MaxInt64} {
		h.Record(ns)
	}
	h.RecordN(5, 3)
	h.RecordN(7, 0)
	top, topHigh := bounds(highestIndex)
	want := []Bucket{{0, 0, 1}, {1, 1, 1}, {5, 5, 3}, {2047, 2047, 1}, {2048, 2049, 2}, {2050, 2051, 1}, {top, topHigh, 1}}
	if diff := cmp.Diff(want, slices.Collect(h.All())); diff != "" {
		t.Errorf("buckets (-want +got):\n%s", diff)
	}
	if h.Count() != 14 || h.Underflow() != 2 || h.Overflow() != 2 {
		t.Errorf("count %d underflow %d overflow %d, want 14 2 2", h.Count(), h.Underflow(), h.Overflow())
	}
	h.Reset()
	if got := slices.Collect(h.All()); len(got) != 0 || h.Count() != 0 || h.Underflow() != 0 || h.Overflow() != 0 {
		t.Errorf("after Reset: %v, %d samples", got, h.Count())
	}
}

func TestHistogramNegativeCount(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("RecordN(1, -1) didn't panic")
		}
	}()
	new(Histogram).RecordN(1, -1)
}

func TestQuantile(t *testing.T) {
	of := func(ns ...int64) *Histogram {
		h := new(Histogram)
		for _, v := range ns {
			h.Record(v)
		}
		return h
	}
	thousand := new(Histogram)
	for i := range int64(1000) {
		thousand.Record(i + 1)
	}
	tests := []struct {
		name string
		h    *Histogram
		q    float64
		want int64
	}{
		{"empty", of(), 0.5, 0},
		{"one sample, lowest", of(7), 0, 7},
		{"one sample, highest", of(7), 1, 7},
		{"median of four is the second", of(1, 2, 3, 4), 0.5, 2},
		{"a little above half is the third", of(1, 2, 3, 4), 0.500001, 3},
		{"below 0", of(1, 2), -1, 1},
		{"above 1", of(1, 2), 2, 2},
		{"not a number", of(1, 2), math.NaN(), 1},
		{"whole rank in spite of rounding", thousand, 0.999, 999},
		{"rank 570 of 1000", thousand, 0.57, 570},
		{"upper end of the bucket", of(1_000_000), 0.5, 1_000_447},
		{"in the underflow", of(-5, 3, 4), 0.3, -1},
		{"above the underflow", of(-5, 3, 4), 0.5, 3},
		{"in the overflow", of(1, Highest+1), 0.9, math.MaxInt64},
		{"below the overflow", of(1, Highest+1), 0.5, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.h.Quantile(tt.q); got != tt.want {
				t.Errorf("Quantile(%v) = %d, want %d", tt.q, got, tt.want)
			}
		})
	}
}

func TestCountAbove(t *testing.T) {
	var h Histogram
	for _, ns := range []int64{-3, 0, 10, 4096, 4097, 5000, 1 << 30, Highest + 5} {
		h.Record(ns)
	}
	tests := []struct {
		name string
		ns   int64
		want int64
	}{
		{"below all", -1, 7},
		{"zero", 0, 6},
		{"its own value isn't above", 10, 5},
		{"same bucket isn't above", 4096, 3},
		{"the bucket below", 4095, 5},
		{"last of a block", blockLen - 1, 5},
		{"highest", Highest, 1},
		{"above highest", math.MaxInt64, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := h.CountAbove(tt.ns); got != tt.want {
				t.Errorf("CountAbove(%d) = %d, want %d", tt.ns, got, tt.want)
			}
		})
	}
}

func TestHistogramAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var a, b, both Histogram
	for range 10_000 {
		v := int64(math.Exp(r.Float64()*30)) - 2
		both.Record(v)
		if r.IntN(2) == 0 {
			a.Record(v)
		} else {
			b.Record(v)
		}
	}
	sum := a.Clone()
	sum.Add(&b)
	sum.Add(nil)
	if diff := cmp.Diff(&both, sum); diff != "" {
		t.Errorf("a + b (-want +got):\n%s", diff)
	}
	before := b.Count()
	sum.Record(12)
	sum.Reset()
	if b.Count() != before || a.Count()+b.Count() != both.Count() {
		t.Error("the sum shares memory with its parts")
	}
	if (*Histogram)(nil).Clone() != nil {
		t.Error("the clone of nil isn't nil")
	}
}

func TestRecordAllocates(t *testing.T) {
	var h Histogram
	for ns := int64(1); ns < Highest; ns += ns/100 + 1 {
		h.Record(ns)
	}
	ns := int64(1)
	if n := testing.AllocsPerRun(1000, func() {
		h.Record(ns)
		ns += ns/100 + 1
	}); n != 0 {
		t.Errorf("%v allocations a sample once grown, want 0", n)
	}
	var small Histogram
	if n := testing.AllocsPerRun(1, func() {
		for ns := range int64(blockLen) {
			small.Record(ns)
		}
	}); n > 1 {
		t.Errorf("%v allocations for samples of one block, want 1 at most", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	var h Histogram
	ns := int64(1)
	for b.Loop() {
		h.Record(ns)
		ns = (ns*5 + 1) & 0xffff
	}
}
