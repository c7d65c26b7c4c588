package shm

import (
	"testing"
	"time"
)

// BenchmarkMessage is the path of one message within one process and thread:
// what the arena's bookkeeping costs without caches to cross or sleeps.
func BenchmarkMessage(b *testing.B) {
	p := newPublisher(b, Config{})
	s := join(b, p)
	defer s.Close()
	b.ReportAllocs()
	for b.Loop() {
		c, err := p.Loan(16)
		if err != nil {
			b.Fatal(err)
		}
		p.Publish(c)
		m, err := s.Take(time.Second)
		if err != nil {
			b.Fatal(err)
		}
		s.Release(m)
	}
}
