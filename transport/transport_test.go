package transport

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"worstcase/transport/shm"
)

// connect makes both ends of t in this process.
func connect(t testing.TB, tr Transport, o Options) (Publisher, []Subscriber) {
	t.Helper()
	var links []*Link
	subs := make([]Subscriber, o.Subscribers)
	errs := make(chan error, o.Subscribers)
	for i := range o.Subscribers {
		a, b, err := NewLinkPair()
		if err != nil {
			t.Fatal(err)
		}
		link, err := OpenLink(a)
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		links = append(links, link)
		go func() {
			link, err := OpenLink(b)
			b.Close()
			if err == nil {
				subs[i], err = tr.Subscriber(o, link)
				link.Close()
			}
			errs <- err
		}()
	}
	p, err := tr.Publisher(o, links)
	for _, l := range links {
		l.Close()
	}
	if err != nil {
		t.Fatalf("publisher: %v", err)
	}
	for range o.Subscribers {
		if err := <-errs; err != nil {
			t.Fatalf("subscriber: %v", err)
		}
	}
	return p, subs
}

// sendAll publishes messages 1 to n and ends.
func sendAll(p Publisher, n int) error {
	var pattern pattern
	for seq := uint64(1); seq <= uint64(n); seq++ {
		b, err := p.Loan()
		if err != nil {
			return err
		}
		h := header{seq: seq, length: uint32(len(b) - HeaderBytes), flags: flagFilled}
		h.put(b)
		pattern.fill(b[HeaderBytes:], seq)
		if err := p.Publish(); err != nil {
			return fmt.Errorf("message %d: %w", seq, err)
		}
	}
	return p.Close()
}

// takeAll takes messages 1 to n and then the end.
func takeAll(s Subscriber, n int) error {
	defer s.Close()
	var pattern pattern
	timeouts := 0
	for seq := uint64(1); ; {
		b, err := s.Take()
		switch {
		case err == ErrTimeout && timeouts < 20:
			timeouts++
			continue
		case err == io.EOF && seq == uint64(n)+1:
			return nil
		case err != nil:
			return fmt.Errorf("after %d messages: %w", seq-1, err)
		}
		var h header
		h.get(b)
		if h.seq == 0 {
			s.Release()
			continue
		}
		if h.seq != seq || int(h.length) != len(b)-HeaderBytes {
			return fmt.Errorf("message %d of %d bytes came, not %d of %d", h.seq, h.length, seq, len(b)-HeaderBytes)
		}
		if !pattern.verify(b[HeaderBytes:], seq) {
			return fmt.Errorf("message %d is corrupt", seq)
		}
		s.Release()
		seq++
	}
}

func TestKernelTransports(t *testing.T) {
	for _, tr := range Kernel() {
		for _, size := range []int{16, 5000, 1 << 20} {
			if tr.Name() == "mq" && size > 8000 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", tr.Name(), size), func(t *testing.T) {
				if err := tr.Check(); err != nil {
					t.Skip(err)
				}
				n := 300
				if size > 1e5 {
					n = 20
				}
				p, subs := connect(t, tr, Options{Size: HeaderBytes + size, Depth: n + 10, Subscribers: 2})
				errs := make(chan error)
				go func() { errs <- sendAll(p, n) }()
				for _, s := range subs {
					go func() { errs <- takeAll(s, n) }()
				}
				for range 3 {
					if err := <-errs; err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}

// Nobody takes: what doesn't fit is counted, each message once.
func TestBestEffortCountsDrops(t *testing.T) {
	for _, tr := range []Transport{arena{}, seqpacket{}, queue{}} {
		t.Run(tr.Name(), func(t *testing.T) {
			const n = 1000
			o := Options{Size: HeaderBytes + 4000, Depth: 4, BestEffort: true, Subscribers: 1, Policy: shm.DropNewest}
			p, subs := connect(t, tr, o)
			for seq := uint64(1); seq <= n; seq++ {
				b, err := p.Loan()
				if err != nil {
					t.Fatal(err)
				}
				h := header{seq: seq}
				h.put(b)
				if err := p.Publish(); err != nil && !errors.Is(err, ErrDropped) {
					t.Fatal(err)
				}
			}
			drops := int64(0)
			for _, d := range p.Drops() {
				drops += d
			}
			go p.Close()
			came := int64(0)
			for {
				b, err := subs[0].Take()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				var h header
				if h.get(b); h.seq > 0 {
					came++
				}
				subs[0].Release()
			}
			subs[0].Close()
			if drops == 0 || came == 0 || came+drops != n {
				t.Errorf("%d came and %d were dropped of %d", came, drops, n)
			}
		})
	}
}

func TestUnsupportedSize(t *testing.T) {
	a, b, err := NewLinkPair()
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	defer b.Close()
	link, err := OpenLink(a)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	_, err = queue{}.Publisher(Options{Size: 32 << 20, Depth: 1}, []*Link{link})
	if !errors.Is(err, ErrSize) {
		t.Errorf("message queue of 32 MiB messages: %v, want %v", err, ErrSize)
	}
}

func TestPattern(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 16, 4095, 4096, 4097, 10_000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			var p pattern
			b, words := make([]byte, n), make([]byte, n)
			p.fill(b, 42)
			p.fillWords(words, 42)
			if string(b) != string(words) {
				t.Error("bytes and words differ")
			}
			if !p.verify(b, 42) || !p.verifyWords(b, 42) {
				t.Error("what was filled is not recognised")
			}
			if n > 0 && (p.verify(b, 43) || p.verifyWords(b, 43)) {
				t.Error("taken for another message")
			}
			for _, i := range []int{0, n / 2, n - 1} {
				if n == 0 {
					break
				}
				b[i] ^= 1
				if p.verify(b, 42) || p.verifyWords(b, 42) {
					t.Errorf("a wrong byte at %d is not seen", i)
				}
				b[i] ^= 1
			}
		})
	}
}
