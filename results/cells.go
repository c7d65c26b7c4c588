package results

import (
	"iter"
	"slices"
)

// A cell is one bucket of a histogram of few.
type cell struct {
	index int
	n     int64
}

// Sparse makes a histogram of n samples of ns for each pair. It takes 16 bytes
// a bucket, where blocks would take 2 kB for each that is far from the others:
// what is read from coarse histograms stays as small as their text. Changing it
// makes blocks of it. The pairs are asked for twice.
func Sparse(counts iter.Seq2[int64, int64]) *Histogram {
	h := new(Histogram)
	few := 0
	for range counts {
		few++
	}
	h.few = make([]cell, 0, few)
	for ns, n := range counts {
		h.count += n
		switch {
		case ns < 0:
			h.underflow += n
		case ns > Highest:
			h.overflow += n
		case n > 0:
			h.few = append(h.few, cell{index(ns), n})
		}
	}
	slices.SortFunc(h.few, func(a, b cell) int { return a.index - b.index })
	last := 0
	for i, c := range h.few {
		switch {
		case i == 0:
		case h.few[last].index == c.index:
			h.few[last].n += c.n
		default:
			last++
			h.few[last] = c
		}
	}
	h.few = h.few[:min(last+1, len(h.few))]
	return h
}

// fewMax is how many cells a histogram keeps for good; blocks take less than
// many more.
const fewMax = 4096

// spread makes blocks, and moves the few cells there.
func (h *Histogram) spread() {
	if h.blocks == nil {
		h.blocks = new([blocks]*[blockLen]int64)
	}
	for _, c := range h.few {
		h.block(c.index >> blockBits)[c.index&(blockLen-1)] += c.n
	}
	h.few = nil
}
