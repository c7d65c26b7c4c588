package shm

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var seed = flag.Uint64("seed", 0, "seed of the crash tests; 0 draws one")

// kills is how many peers each crash test kills.
func kills() int {
	if os.Getenv("WORSTCASE_SOAK") != "" {
		return 1000
	}
	return 20
}

// TestMain is also the main of the peers that the tests kill.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "peer" {
		peerMain(os.Args[2], 3)
	}
	os.Exit(m.Run())
}

// peerMain is a peer over the socket link. It never returns: it is killed, or
// panics when it sees what it must not.
func peerMain(role string, link int) {
	switch role {
	case "subscriber":
		s, err := Join(link, Options{})
		if err != nil {
			panic(err)
		}
		subscribeForever(s)
	default: // a publisher that dies at the point named
		p, err := New(Config{Classes: crashClasses, Depth: crashDepth, Subscribers: 2, Patience: time.Hour})
		if err == nil {
			err = p.Serve(link)
		}
		if err != nil {
			panic(err)
		}
		publishUntil(p, role)
	}
	select {}
}

const crashDepth = 8

var crashClasses = []Class{{4096, 2*crashDepth + 4}}

// subscribeForever takes messages, holds some for a while, and gives them back
// out of order.
func subscribeForever(s *Subscriber) {
	var held []Message
	for {
		m, err := s.Take(time.Second)
		switch {
		case err == ErrTimeout:
			continue
		case err != nil:
			panic(err)
		}
		if err := verify(m.Data); err != nil {
			panic(err)
		}
		held = append(held, m)
		if len(held) >= crashDepth/2 {
			i := rand.IntN(len(held))
			s.Release(held[i])
			held = slices.Delete(held, i, i+1)
		}
	}
}

// publishUntil publishes, and kills itself at the point named: "fill" is between
// fill and publish, "push" between push and wake-up, "hold" with a loan untouched;
// at "never" it goes on until somebody else does.
func publishUntil(p *Publisher, point string) {
	for n := uint64(1); ; n++ {
		c, err := p.Loan(int(64 + n%1000))
		if err != nil {
			panic(err)
		}
		last := point != "never" && n == 50
		if last && point == "hold" {
			die()
		}
		fill(c.Data, n)
		if last && point == "fill" {
			die()
		}
		if last && point == "push" {
			for p.peers[0].ring.waiting.Load() == 0 { // it sleeps: nothing but the call would wake it
			}
			p.push(c)
			die()
		}
		p.Publish(c)
	}
}

func die() {
	unix.Kill(os.Getpid(), unix.SIGKILL)
	select {}
}

// fill makes a message of number n that verify knows again.
func fill(b []byte, n uint64) {
	binary.LittleEndian.PutUint64(b, n)
	for i := range b[8:] {
		b[8+i] = byte(n) + byte(i)
	}
}

func verify(b []byte) error {
	n := binary.LittleEndian.Uint64(b)
	for i := range b[8:] {
		if b[8+i] != byte(n)+byte(i) {
			return fmt.Errorf("message %d is corrupt at byte %d of %d", n, i, len(b))
		}
	}
	return nil
}

// start starts a peer and returns our end of its link.
func start(t testing.TB, role string) (*exec.Cmd, int) {
	t.Helper()
	ours, theirs := socketpair(t)
	file := os.NewFile(uintptr(theirs), "link")
	defer file.Close()
	cmd := exec.Command("/proc/self/exe", "peer", role)
	cmd.ExtraFiles = []*os.File{file}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, ours
}

func random(t *testing.T) *rand.Rand {
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("seed %d", s)
	return rand.New(rand.NewPCG(s, 0))
}

// A subscriber killed at a random instruction loses no chunk, and neither holds
// up the publisher nor takes anything from the subscriber beside it.
func TestKilledSubscribers(t *testing.T) {
	for _, n := range []Notifier{Futex, Spin} {
		t.Run(n.String(), func(t *testing.T) { killSubscribers(t, n) })
	}
}

func killSubscribers(t *testing.T, notifier Notifier) {
	r := random(t)
	p := newPublisher(t, Config{Classes: crashClasses, Depth: crashDepth, Subscribers: 2, Notifier: notifier, Patience: time.Minute})
	s := join(t, p)
	defer s.Close()
	survivor := make(chan error)
	stop := make(chan uint64, 1)
	go func() { survivor <- survive(s, stop) }()

	n := uint64(0)
	publish := func() {
		c, err := p.Loan(int(64 + n%4000))
		if err != nil {
			t.Fatal(err)
		}
		n++
		fill(c.Data, n)
		p.Publish(c)
	}
	for i := range kills() {
		cmd, link := start(t, "subscriber")
		pace := time.Duration(r.IntN(3)) * 20 * time.Microsecond
		if err := p.Serve(link); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(r.IntN(5000))*time.Microsecond, func() { cmd.Process.Kill() })
		for end := time.Now().Add(10 * time.Second); p.Counts().Died <= uint64(i); {
			publish()
			time.Sleep(pace)
			if time.Now().After(end) {
				t.Fatalf("kill %d went unnoticed", i)
			}
		}
		cmd.Wait()
		if status := cmd.ProcessState.String(); status != "signal: killed" {
			t.Fatalf("subscriber %d ended by itself: %s", i, status)
		}
	}
	stop <- n
	if err := <-survivor; err != nil {
		t.Error(err)
	}
	if err := p.Drained(10 * time.Second); err != nil {
		t.Errorf("%d of %d chunks came back", p.Free(), p.chunks())
	}
	got := p.Counts()
	t.Log(got)
	if got.Died != uint64(kills()) || got.Faults != 0 || got.TimedOut != 0 || got.Published != n {
		t.Errorf("counts: %v; want %d published, %d died, no faults, none dropped", got, n, kills())
	}
}

// survive takes every message, without a gap, up to the one that stop names.
func survive(s *Subscriber, stop chan uint64) error {
	last := ^uint64(0)
	for next := uint64(1); next <= last; next++ {
		m, err := s.Take(50 * time.Millisecond)
		for err == ErrTimeout {
			select {
			case last = <-stop:
				if next > last {
					return nil
				}
			default:
			}
			m, err = s.Take(50 * time.Millisecond)
		}
		if err != nil {
			return err
		}
		if m.Seq != next {
			return fmt.Errorf("message %d came, not %d", m.Seq, next)
		}
		if err := verify(m.Data); err != nil {
			return err
		}
		s.Release(m)
	}
	return nil
}

// A publisher killed anywhere leaves all it published, whole and in order, and
// its end is seen.
func TestKilledPublishers(t *testing.T) {
	r := random(t)
	points := []string{"fill", "push", "hold", "never"}
	for i := range kills() {
		point := points[i%len(points)]
		cmd, link := start(t, point)
		s, err := Join(link, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if point == "never" {
			time.AfterFunc(time.Duration(r.IntN(5000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
		n, err := takeAll(s)
		if err != nil {
			t.Errorf("%s: after %d messages: %v", point, n, err)
		}
		if want := map[string]uint64{"fill": 49, "push": 50, "hold": 49}[point]; want > 0 && n != want {
			t.Errorf("%s: %d messages came, want %d", point, n, want)
		}
		if !s.Died() {
			t.Errorf("%s: the end of the publisher is taken for a good one", point)
		}
		s.Close()
		cmd.Wait()
	}
}

// takeAll takes messages until the publisher's end, and counts them.
func takeAll(s *Subscriber) (n uint64, err error) {
	for {
		m, err := s.Take(10 * time.Second)
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n++
		if m.Seq != n {
			return n, fmt.Errorf("message %d came, not %d", m.Seq, n)
		}
		if err := verify(m.Data); err != nil {
			return n, err
		}
		s.Release(m)
	}
}
