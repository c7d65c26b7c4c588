package shm

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// socketpair returns two connected unix sockets.
func socketpair(t testing.TB) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return fds[0], fds[1]
}

// newPublisher makes an arena that ends with the test.
func newPublisher(t testing.TB, c Config) *Publisher {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// join lets a subscriber of this process join p.
func join(t testing.TB, p *Publisher) *Subscriber {
	t.Helper()
	a, b := socketpair(t)
	served := make(chan error, 1)
	go func() { served <- p.Serve(a) }()
	s, err := Join(b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	return s
}

// send publishes a message that holds text.
func send(t testing.TB, p *Publisher, text string) {
	t.Helper()
	c, err := p.Loan(len(text))
	if err != nil {
		t.Fatalf("loan for %q: %v", text, err)
	}
	copy(c.Data, text)
	p.Publish(c)
}

// take takes n messages, gives them back, and returns what they held.
func take(t testing.TB, s *Subscriber, n int) []string {
	t.Helper()
	var got []string
	for range n {
		m, err := s.Take(5 * time.Second)
		if err != nil {
			t.Fatalf("take: %v", err)
		}
		got = append(got, string(m.Data))
		s.Release(m)
	}
	return got
}

func TestDelivery(t *testing.T) {
	for _, n := range Notifiers() {
		t.Run(n.String(), func(t *testing.T) {
			p := newPublisher(t, Config{Notifier: n, Subscribers: 2})
			a, b := join(t, p), join(t, p)
			defer a.Close()
			defer b.Close()
			var want []string
			sent := make(chan bool)
			go func() {
				defer close(sent)
				for i := range 100 {
					send(t, p, fmt.Sprintf("message %d", i))
				}
			}()
			for i := range 100 {
				want = append(want, fmt.Sprintf("message %d", i))
			}
			other := make(chan []string)
			go func() { other <- take(t, b, 100) }()
			if diff := cmp.Diff(want, take(t, a, 100)); diff != "" {
				t.Errorf("first subscriber (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want, <-other); diff != "" {
				t.Errorf("second subscriber (-want +got):\n%s", diff)
			}
			<-sent
			if got := p.Free(); got != p.chunks() {
				t.Errorf("%d chunks free after all were released, want %d", got, p.chunks())
			}
		})
	}
}

func TestSubscriberReadsThePublishersMemory(t *testing.T) {
	p := newPublisher(t, Config{Classes: []Class{{64, 1}}})
	s := join(t, p)
	defer s.Close()
	c, _ := p.Loan(5)
	copy(c.Data, "first")
	p.Publish(c)
	m, err := s.Take(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	copy(c.Data, "later")
	if string(m.Data) != "later" {
		t.Errorf("subscriber reads %q: the message was copied", m.Data)
	}
}

func TestPolicies(t *testing.T) {
	tests := []struct {
		policy Policy
		got    []string
		counts Counts
	}{
		{DropOldest, []string{"2", "3", "4"}, Counts{Published: 5, DroppedOldest: 2}},
		{DropNewest, []string{"0", "1", "2"}, Counts{Published: 5, DroppedNewest: 2}},
		{Block, []string{"0", "1", "2"}, Counts{Published: 5, TimedOut: 2}},
	}
	for _, test := range tests {
		t.Run(test.policy.String(), func(t *testing.T) {
			p := newPublisher(t, Config{Policy: test.policy, Depth: 3, Patience: time.Millisecond})
			s := join(t, p)
			defer s.Close()
			for i := range 5 {
				send(t, p, fmt.Sprint(i))
			}
			if diff := cmp.Diff(test.got, take(t, s, 3)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if _, err := s.Take(0); err != ErrTimeout {
				t.Errorf("take from an empty ring: %v, want %v", err, ErrTimeout)
			}
			if diff := cmp.Diff(test.counts, p.Counts()); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDropOldestWhenAllAreHeld(t *testing.T) {
	p := newPublisher(t, Config{Policy: DropOldest, Depth: 2})
	s := join(t, p)
	defer s.Close()
	send(t, p, "0")
	send(t, p, "1")
	for range 2 {
		if _, err := s.Take(0); err != nil {
			t.Fatal(err)
		}
	}
	send(t, p, "2")
	if diff := cmp.Diff(Counts{Published: 3, DroppedNewest: 1}, p.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestBlockGoesOnWhenSpaceComes(t *testing.T) {
	p := newPublisher(t, Config{Depth: 1, Patience: 30 * time.Second})
	s := join(t, p)
	defer s.Close()
	send(t, p, "0")
	sent := make(chan bool)
	go func() {
		send(t, p, "1") // waits for credit
		close(sent)
	}()
	for p.hungry.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if diff := cmp.Diff([]string{"0", "1"}, take(t, s, 2)); diff != "" {
		t.Error(diff)
	}
	<-sent
	if diff := cmp.Diff(Counts{Published: 2}, p.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestPools(t *testing.T) {
	p := newPublisher(t, Config{Classes: []Class{{100, 1}, {1000, 1}}, Policy: DropNewest})
	small, err := p.Loan(128)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Loan(1); err != ErrPoolEmpty {
		t.Errorf("loan out of an empty class: %v, want %v", err, ErrPoolEmpty)
	}
	if _, err := p.Loan(129); err != nil {
		t.Errorf("loan out of the next class: %v", err)
	}
	if _, err := p.Loan(1025); err != ErrTooLarge {
		t.Errorf("loan above the largest class: %v, want %v", err, ErrTooLarge)
	}
	p.Discard(small)
	if _, err := p.Loan(1); err != nil {
		t.Errorf("loan of what was discarded: %v", err)
	}
	if diff := cmp.Diff(Counts{PoolEmpty: 1}, p.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestEnd(t *testing.T) {
	p, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := join(t, p)
	defer s.Close()
	send(t, p, "last")
	ended := make(chan error)
	go func() { ended <- p.Close() }()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"last"}, take(t, s, 1)); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Take(time.Minute); err != io.EOF {
		t.Errorf("take after the last: %v, want EOF", err)
	}
	if s.Died() {
		t.Error("a publisher that closed its arena is said to have died")
	}
}

func TestLeaving(t *testing.T) {
	p := newPublisher(t, Config{Subscribers: 1})
	s := join(t, p)
	send(t, p, "held")
	if _, err := s.Take(0); err != nil {
		t.Fatal(err)
	}
	a, b := socketpair(t)
	go p.Serve(a)
	if _, err := Join(b, Options{}); !errors.Is(err, ErrFull) {
		t.Errorf("join a full arena: %v, want %v", err, ErrFull)
	}
	s.Close()
	for p.Free() < p.chunks() {
		time.Sleep(time.Millisecond)
	}
	if diff := cmp.Diff(Counts{Published: 1}, p.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	next := join(t, p)
	defer next.Close()
	send(t, p, "new")
	if diff := cmp.Diff([]string{"new"}, take(t, next, 1)); diff != "" {
		t.Error(diff)
	}
}

func TestGivingBackWhatIsNotHeld(t *testing.T) {
	p := newPublisher(t, Config{})
	s := join(t, p)
	defer s.Close()
	send(t, p, "x")
	m, err := s.Take(0)
	if err != nil {
		t.Fatal(err)
	}
	s.Release(m)
	s.Release(m)
	s.Release(Message{index: 1 << 30})
	if diff := cmp.Diff(Counts{Published: 1, Faults: 2}, p.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if p.Free() != p.chunks() {
		t.Errorf("%d chunks free, want %d", p.Free(), p.chunks())
	}
}

func TestPayloadsAreReadOnly(t *testing.T) {
	p := newPublisher(t, Config{})
	mem, err := unix.Mmap(p.fds[1], 0, int(p.dataBytes()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err == nil {
		unix.Munmap(mem)
		t.Error("a subscriber can map the payloads for writing")
	}
}
