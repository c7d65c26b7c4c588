package results

import (
	"iter"
	"math"
	"math/bits"
	"slices"
)

// Highest is the largest latency that a Histogram resolves, one hour in ns.
// What is above goes to its overflow count.
const Highest = 3_600_000_000_000

// The geometry of an HdrHistogram from 1 ns with three significant digits:
// 2048 buckets 1 ns wide, then 1024 more for each doubling, twice as wide each
// time. (Gil Tene's layout; 2048 is the power of two above 2 × 10³.)
const (
	digits       = 3
	subBits      = 11
	subBuckets   = 1 << subBits
	highestShift = 42 - subBits // Highest has 42 bits
	highestIndex = highestShift<<(subBits-1) + Highest>>highestShift
)

// Counts are kept in blocks that are made when a value first falls into them,
// since the samples of one second fill a few narrow places of the range: one
// outlier costs one block.
const (
	blockBits = 8
	blockLen  = 1 << blockBits
	blocks    = highestIndex/blockLen + 1
)

// A Histogram counts latencies in ns in the buckets of an HdrHistogram of
// three significant digits from 1 ns to Highest; a value is known to one part
// in 1,024 or better, below 2,048 ns exactly. Negative values and values above
// Highest are only counted, as underflow and overflow. The zero value is empty
// and ready. It may be read by several goroutines while none changes it.
type Histogram struct {
	blocks    *[blocks]*[blockLen]int64
	few       []cell // instead of blocks, until h is changed; ascending
	count     int64
	underflow int64
	overflow  int64
}

// A Bucket is the number of samples in [Low, High], both in ns and inclusive.
type Bucket struct {
	Low, High, Count int64
}

// block returns block k, made if need be.
func (h *Histogram) block(k int) *[blockLen]int64 {
	b := h.blocks[k]
	if b == nil {
		b = new([blockLen]int64)
		h.blocks[k] = b
	}
	return b
}

// each calls f with every bucket from index first on that holds samples, in
// ascending order, until f returns false.
func (h *Histogram) each(first int, f func(i int, n int64) bool) {
	for _, c := range h.few {
		if c.index >= first && !f(c.index, c.n) {
			return
		}
	}
	if h.blocks == nil {
		return
	}
	for k := first >> blockBits; k < blocks; k++ {
		b := h.blocks[k]
		if b == nil {
			continue
		}
		for i := max(first-k<<blockBits, 0); i < blockLen; i++ {
			if n := b[i]; n != 0 && !f(k<<blockBits+i, n) {
				return
			}
		}
	}
}

// Record counts one sample of ns. It allocates only when ns falls into a part
// of the range that was never used before (2 kB each).
func (h *Histogram) Record(ns int64) { h.RecordN(ns, 1) }

// RecordN counts n samples of ns. It panics when n is negative.
func (h *Histogram) RecordN(ns, n int64) {
	if n < 0 {
		panic("results: negative count")
	}
	h.count += n
	switch {
	case ns < 0:
		h.underflow += n
	case ns > Highest:
		h.overflow += n
	case n > 0:
		i := index(ns)
		if h.blocks == nil {
			h.spread()
		}
		b := h.blocks[i>>blockBits]
		if b == nil {
			b = h.block(i >> blockBits)
		}
		b[i&(blockLen-1)] += n
	}
}

// index of the bucket that holds ns, which must be in [0, Highest].
func index(ns int64) int {
	shift := bits.Len64(uint64(ns)|(subBuckets-1)) - subBits
	return shift<<(subBits-1) + int(ns>>shift)
}

// bounds of bucket i, in ns, both inclusive.
func bounds(i int) (low, high int64) {
	shift := max(i>>(subBits-1)-1, 0)
	low = int64(i-shift<<(subBits-1)) << shift
	return low, low + 1<<shift - 1
}

// Add counts all samples of o as well. A nil o is empty.
func (h *Histogram) Add(o *Histogram) {
	if o == nil {
		return
	}
	h.count += o.count
	h.underflow += o.underflow
	h.overflow += o.overflow
	if h.blocks == nil {
		h.spread()
	}
	for _, c := range o.few {
		h.block(c.index >> blockBits)[c.index&(blockLen-1)] += c.n
	}
	if o.blocks == nil {
		return
	}
	for k, from := range o.blocks {
		if from == nil {
			continue
		}
		to := h.block(k)
		for i, n := range from {
			to[i] += n
		}
	}
}

// Reset empties h and keeps its memory.
func (h *Histogram) Reset() {
	h.few = nil
	if h.blocks != nil {
		for _, b := range h.blocks {
			if b != nil {
				clear(b[:])
			}
		}
	}
	h.count, h.underflow, h.overflow = 0, 0, 0
}

// Clone returns an independent copy; that of nil is nil.
func (h *Histogram) Clone() *Histogram {
	if h == nil {
		return nil
	}
	if h.blocks == nil {
		c := *h
		c.few = slices.Clone(h.few)
		return &c
	}
	c := new(Histogram)
	c.Add(h)
	return c
}

// Equal says whether both count the same samples; nil equals only nil.
func (h *Histogram) Equal(o *Histogram) bool {
	if h == nil || o == nil {
		return h == o
	}
	return h.count == o.count && h.underflow == o.underflow && h.overflow == o.overflow &&
		slices.Equal(slices.Collect(h.All()), slices.Collect(o.All()))
}

// Count is the number of all samples, those of Underflow and Overflow included.
func (h *Histogram) Count() int64 { return h.count }

// Underflow is the number of negative samples.
func (h *Histogram) Underflow() int64 { return h.underflow }

// Overflow is the number of samples above Highest.
func (h *Histogram) Overflow() int64 { return h.overflow }

// Quantile returns the value, in ns, at or below which the fraction q of all
// samples lies: the upper end of the bucket that holds the sample of rank
// ⌈q·Count⌉, counted from 1 in ascending order (HdrHistogram's "highest
// equivalent value"; q ≤ 0 gives the first sample, q ≥ 1 the last). It is
// therefore never below the true sample, and less than one part in 1,024
// above it. It is -1 where the rank falls to an underflow, math.MaxInt64 where
// it falls to an overflow, and 0 when h is empty.
func (h *Histogram) Quantile(q float64) int64 {
	if h.count == 0 {
		return 0
	}
	left := rank(q, h.count) - h.underflow
	if left <= 0 {
		return -1
	}
	ns := int64(math.MaxInt64)
	h.each(0, func(i int, n int64) bool {
		if left -= n; left > 0 {
			return true
		}
		_, ns = bounds(i)
		return false
	})
	return ns
}

// rank is ⌈q·n⌉ within [1, n]. A product that rounding alone lifted above a
// whole number (0.999 × 1000) counts as that number.
func rank(q float64, n int64) int64 {
	p := q * float64(n)
	r := math.Ceil(p)
	if whole := math.Round(p); math.Abs(p-whole) <= 4e-16*p {
		r = whole
	}
	switch {
	case !(r > 1): // NaN as well
		return 1
	case r >= float64(n):
		return n
	}
	return int64(r)
}

// CountAbove returns the number of samples in buckets above that of ns,
// overflows included. What shares the bucket of ns, within one part in 1,024,
// isn't counted.
func (h *Histogram) CountAbove(ns int64) int64 {
	if ns > Highest {
		return h.overflow
	}
	above := h.overflow
	first := 0
	if ns >= 0 {
		first = index(ns) + 1
	}
	h.each(first, func(_ int, n int64) bool {
		above += n
		return true
	})
	return above
}

// All yields the buckets that hold samples, in ascending order, without
// underflow and overflow. Their widths double at powers of two: a density is
// Count / (High - Low + 1).
func (h *Histogram) All() iter.Seq[Bucket] {
	return func(yield func(Bucket) bool) {
		h.each(0, func(i int, n int64) bool {
			low, high := bounds(i)
			return yield(Bucket{low, high, n})
		})
	}
}
