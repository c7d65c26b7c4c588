package compare

import "worstcase/results"

// mostBlocks is how many blocks a run is cut into at most.
const mostBlocks = 128

// Blocks collects the histograms of one run's intervals in at most 128 blocks of
// equal length, however long the run is: some 3 MB a series. It is a Sink.
type Blocks struct {
	series map[int]*blockList
}

type blockList struct {
	step    int // intervals in a block
	last    int // intervals in the last block
	tallies []results.Tally
	means   []float64 // of the intervals
}

// Put takes the intervals of a run and ignores the rest.
func (b *Blocks) Put(rec results.Record) error {
	iv, ok := rec.(*results.Interval)
	if !ok || iv.Histogram == nil || iv.Samples() == 0 {
		return nil
	}
	if b.series == nil {
		b.series = map[int]*blockList{}
	}
	l := b.series[iv.Series]
	if l == nil {
		l = &blockList{step: 1}
		b.series[iv.Series] = l
	}
	l.add(&iv.Tally)
	return nil
}

func (l *blockList) add(t *results.Tally) {
	l.means = append(l.means, t.Mean())
	if len(l.tallies) > 0 && l.last < l.step {
		l.tallies[len(l.tallies)-1].Add(t)
		l.last++
		return
	}
	if len(l.tallies) == mostBlocks {
		l.halve()
	}
	l.tallies = append(l.tallies, results.Tally{})
	l.tallies[len(l.tallies)-1].Add(t)
	l.last = 1
}

// halve joins neighbours.
func (l *blockList) halve() {
	half := l.tallies[:0]
	for i := 0; i+1 < len(l.tallies); i += 2 {
		t := l.tallies[i]
		t.Add(&l.tallies[i+1])
		half = append(half, t)
	}
	clear(l.tallies[len(half):])
	l.tallies, l.step = half, 2*l.step
}

// independent returns units of time of one length, and how many of them make
// a block that is at least as long as the intervals' means depend on each other;
// 0 when the blocks are fewer than fewestBlocks.
func (b *Blocks) independent(series int) (units []results.Tally, block int) {
	if b == nil || b.series[series] == nil {
		return nil, 0
	}
	l := b.series[series]
	need := results.BlockLength(ranks(l.means))
	if need == 0 {
		return nil, 0
	}
	units = l.tallies
	if l.last < l.step && len(units) > 1 {
		units = units[:len(units)-1]
	}
	block = (need + l.step - 1) / l.step
	if len(units)/block < fewestBlocks {
		return nil, 0
	}
	return units[:len(units)/block*block], block
}
