package results

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSparse holds a sparse histogram against one of blocks, in all that can be
// asked of either.
func TestSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	type sample struct{ ns, n int64 }
	var samples []sample
	for range 500 {
		samples = append(samples, sample{rng.Int64N(1 << (1 + rng.IntN(44))), rng.Int64N(5)})
	}
	samples = append(samples, sample{-7, 3}, sample{math.MaxInt64, 2}, samples[0], sample{0, 1})
	dense := new(Histogram)
	for _, s := range samples {
		dense.RecordN(s.ns, s.n)
	}
	sparse := Sparse(func(yield func(ns, n int64) bool) {
		for _, s := range samples {
			if !yield(s.ns, s.n) {
				return
			}
		}
	})
	check := func(name string, got, want *Histogram) {
		t.Helper()
		if got.Count() != want.Count() || got.Underflow() != want.Underflow() || got.Overflow() != want.Overflow() {
			t.Errorf("%s: counts differ", name)
		}
		buckets := func(h *Histogram) (list []Bucket) {
			for b := range h.All() {
				list = append(list, b)
			}
			return list
		}
		if diff := cmp.Diff(buckets(want), buckets(got)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
		for q := 0.0; q <= 1; q += 1.0 / 64 {
			if g, w := got.Quantile(q), want.Quantile(q); g != w {
				t.Errorf("%s: quantile %v is %d, want %d", name, q, g, w)
			}
		}
		for ns := int64(1); ns < 1<<44; ns *= 3 {
			if g, w := got.CountAbove(ns), want.CountAbove(ns); g != w {
				t.Errorf("%s: above %d are %d, want %d", name, ns, g, w)
			}
		}
		g, _ := got.MarshalText()
		w, _ := want.MarshalText()
		if string(g) != string(w) {
			t.Errorf("%s: texts differ", name)
		}
	}
	check("sparse", sparse, dense)
	check("clone", sparse.Clone(), dense)
	sum, twice := new(Histogram), dense.Clone()
	twice.Add(dense)
	sum.Add(sparse)
	sum.Add(sparse)
	check("sum", sum, twice)
	grown := sparse.Clone()
	grown.Add(sparse)
	check("added to", grown, twice)
	check("after its clone grew", sparse, dense)
	changed, want := sparse.Clone(), dense.Clone()
	changed.Record(12345)
	want.Record(12345)
	check("changed", changed, want)
	changed.Reset()
	check("reset", changed, new(Histogram))
}

func TestSparseIsSmall(t *testing.T) {
	h := Sparse(func(yield func(ns, n int64) bool) {
		for us := int64(1); us <= 1000; us++ {
			if !yield(us*1000, 1) {
				return
			}
		}
	})
	if size := 16 * cap(h.few); size > 16*1000 || h.blocks != nil {
		t.Errorf("1000 buckets take %d bytes, and blocks %v", size, h.blocks != nil)
	}
}
