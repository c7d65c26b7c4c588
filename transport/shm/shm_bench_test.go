package shm

import (
	"slices"
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

// BenchmarkDeathNotice measures how long after kill -9 of a subscriber its
// publisher knows, the reaping of the process included.
func BenchmarkDeathNotice(b *testing.B) {
	p := newPublisher(b, Config{})
	var waits []time.Duration
	for b.Loop() {
		b.StopTimer()
		cmd, link := start(b, "subscriber")
		if err := p.Serve(link); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		t0 := time.Now()
		cmd.Process.Kill()
		for p.Subscribers() > 0 {
			time.Sleep(10 * time.Microsecond)
		}
		waits = append(waits, time.Since(t0))
		b.StopTimer()
		cmd.Wait()
		p.Reclaim()
		b.StartTimer()
	}
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)/2])/1e6, "p50-ms")
	b.ReportMetric(float64(waits[len(waits)-1])/1e6, "max-ms")
}

func TestNoAllocation(t *testing.T) {
	p := newPublisher(t, Config{Policy: DropOldest})
	s := join(t, p)
	defer s.Close()
	n := testing.AllocsPerRun(1000, func() {
		c, _ := p.Loan(16)
		p.Publish(c)
		m, err := s.Take(time.Second)
		if err != nil {
			t.Fatal(err)
		}
		s.Release(m)
	})
	if n != 0 {
		t.Errorf("%v allocations a message, want 0", n)
	}
}
