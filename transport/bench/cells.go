package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/transport"
	"worstcase/transport/shm"
)

const big = 10 << 20

func benchSize() error {
	small, large := side{name: "service p50, 16 B untouched", unit: "ns"}, side{name: "service p50, 10 MB untouched", unit: "ns"}
	fill, set := side{name: "fill p50, 10 MB", unit: "ns"}, side{name: "memset of 10 MB, private", unit: "ns"}
	read, compare := side{name: "read p50, 10 MB", unit: "ns"}, side{name: "compare of 10 MB, private", unit: "ns"}
	memory := newPrivate(big)
	for range rounds {
		for _, s := range []struct {
			size int
			to   *side
		}{{16, &small}, {big, &large}} {
			totals, _, err := measure(transport.Config{Transport: find("shm"), Size: s.size, NoTouch: true}, 2*time.Second)
			if err != nil {
				return err
			}
			s.to.add(p50(totals, transport.Service))
		}
		totals, _, err := measure(transport.Config{Transport: find("shm"), Size: big, Rate: 50}, 2*time.Second)
		if err != nil {
			return err
		}
		fill.add(p50(totals, transport.Fill))
		read.add(p50(totals, transport.Read))
		set.add(memory.set())
		compare.add(memory.compare())
	}
	ratio(&large, &small, "at most 1.15")
	ratio(&fill, &set, "at most 1.1")
	ratio(&read, &compare, "at most 1.1")
	return nil
}

func benchNotify() error {
	futex, poll := side{name: "service p50, futex", unit: "ns"}, side{name: "service p50, poll50", unit: "ns"}
	for range rounds {
		for _, s := range []struct {
			n  shm.Notifier
			to *side
		}{{shm.Futex, &futex}, {shm.Poll50, &poll}} {
			totals, _, err := measure(transport.Config{Transport: find("shm"), Notifier: s.n, Rate: 1000, Policy: rtsched.Other}, 2*time.Second)
			if err != nil {
				return err
			}
			s.to.add(p50(totals, transport.Service))
		}
	}
	ratio(&futex, &poll, "at most 0.3")
	return nil
}

// spinRounds are more and shorter ones: where the hypervisor puts two CPUs shows
// in hundreds of ns, and changes from one second to the next.
const spinRounds = 15

func benchSpin() error {
	ring, err := compile("ring", ringSource)
	if err != nil {
		return err
	}
	defer ring.remove()
	harness, ours := side{name: "service p50, empty, 1 kHz", unit: "ns"}, side{name: "service p50, shm+spin, 1 kHz", unit: "ns"}
	theirs := side{name: "C ring p50, 1 kHz", unit: "ns"}
	for range spinRounds {
		for _, s := range []struct {
			name string
			to   *side
		}{{"empty", &harness}, {"shm", &ours}} {
			totals, _, err := measure(transport.Config{
				Transport: find(s.name), Notifier: shm.Spin, Rate: 1000, Policy: rtsched.Other, NoTouch: true,
			}, time.Second/2)
			if err != nil {
				return err
			}
			s.to.add(p50(totals, transport.Service))
		}
		out, err := ring.run(500, time.Millisecond)
		if err != nil {
			return err
		}
		theirs.add(out.P50)
	}
	for _, s := range []*side{&harness, &ours, &theirs} {
		s.print()
	}
	fmt.Printf("  empty takes %.1f ns more than the ring, to be at most 100\n", harness.over(&theirs))
	fmt.Printf("  shm takes %.1f ns, to be below 1000\n", ours.median())
	return nil
}

func benchRate() error {
	ring, err := compile("ring", ringSource)
	if err != nil {
		return err
	}
	defer ring.remove()
	ours, theirs := side{name: "shm+spin, messages", unit: "/s"}, side{name: "C ring, messages", unit: "/s"}
	for range rounds {
		rate, err := throughput(2_000_000)
		if err != nil {
			return err
		}
		ours.add(rate)
		out, err := ring.run(2_000_000, 0)
		if err != nil {
			return err
		}
		theirs.add(out.PerSecond)
	}
	ratio(&ours, &theirs, "at least 0.7")
	return nil
}

func benchIdle() error {
	for _, n := range []shm.Notifier{shm.Futex, shm.Eventfd, shm.Poll50} {
		cpu := side{name: "CPU of the subscriber, " + n.String(), unit: "%"}
		for range rounds {
			_, figures, err := measure(transport.Config{Transport: find("shm"), Notifier: n, Rate: 1}, 3*time.Second)
			if err != nil {
				return err
			}
			cpu.add(figures["cpu_percent.subscriber"])
		}
		fmt.Printf("  %-34s %12.3f %s\n", cpu.name, cpu.median(), cpu.unit)
	}
	return nil
}

func benchSockperf() error {
	for _, name := range []string{"tcp", "udp"} {
		ours, theirs := side{name: name + ", half of the round trip p50", unit: "ns"}, side{name: "sockperf " + name + " p50", unit: "ns"}
		for range rounds {
			totals, _, err := measure(transport.Config{
				Transport: find(name), Size: 64, Rate: 1000, RoundTrip: true, NoTouch: true, Policy: rtsched.Other,
			}, 2*time.Second)
			if err != nil {
				return err
			}
			ours.add(p50(totals, transport.RoundTrip) / 2)
			ns, err := sockperf(name)
			if err != nil {
				return err
			}
			theirs.add(ns)
		}
		ratio(&ours, &theirs, "at most 1.1")
	}
	return nil
}

// sockperf runs Debian's sockperf, server on CPU 1 and client on CPU 0, with
// the messages of the tcp and udp benches, and returns its median in ns. It
// prints half the round trip.
func sockperf(protocol string) (float64, error) {
	flags := []string{"-i", "127.0.0.1", "-p", "17711"}
	if protocol == "tcp" {
		flags = append(flags, "--tcp")
	}
	server := exec.Command("taskset", append([]string{"-c", "1", "sockperf", "server"}, flags...)...)
	if err := server.Start(); err != nil {
		return 0, err
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	time.Sleep(500 * time.Millisecond)
	size := strconv.Itoa(transport.HeaderBytes + 64)
	client := append([]string{"-c", "0", "sockperf", "under-load", "-t", "2", "--mps", "1000", "--reply-every", "1", "-m", size}, flags...)
	out, err := exec.Command("taskset", client...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("sockperf: %w: %s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if _, after, ok := strings.Cut(line, "percentile 50.000 ="); ok {
			us, err := strconv.ParseFloat(strings.TrimSpace(after), 64)
			return us * 1000, err
		}
	}
	return 0, fmt.Errorf("sockperf printed no median: %s", out)
}

// A private is memory of this process, to compare filling and reading with.
type private struct{ a, b []byte }

func newPrivate(n int) *private {
	p := &private{make([]byte, n), make([]byte, n)}
	p.set()
	return p
}

// set and compare return the median time of ten passes in ns.
func (p *private) set() float64 { return passes(func() { clear(p.a) }) }

func (p *private) compare() float64 {
	clear(p.a)
	block := p.b[:4096]
	return passes(func() {
		for at := 0; at < len(p.a); at += len(block) {
			if string(p.a[at:at+len(block)]) != string(block) {
				panic("zeros differ from zeros")
			}
		}
	})
}

// passes are as far apart as the messages: as much has left the caches.
func passes(f func()) float64 {
	s := side{}
	for range 10 {
		sys.SleepUntil(sys.Nanotime() + int64(20*time.Millisecond))
		t := sys.Nanotime()
		f()
		s.add(float64(sys.Nanotime() - t))
	}
	return s.median()
}
