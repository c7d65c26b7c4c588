package main

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"worstcase/rtsched"
	"worstcase/transport"
	"worstcase/transport/shm"
)

const big = 10 << 20

func benchSize() error {
	small, large := side{name: "service p50, 16 B untouched", unit: "ns"}, side{name: "service p50, 10 MB untouched", unit: "ns"}
	for range rounds {
		for _, s := range []struct {
			size int
			to   *side
		}{{16, &small}, {big, &large}} {
			totals, _, err := measure(transport.Config{Transport: find("shm"), Size: s.size, Rate: 500, NoTouch: true}, time.Second)
			if err != nil {
				return err
			}
			s.to.add(p50(totals, transport.Service))
		}
	}
	ratio(&large, &small, atMost(1.15))
	return nil
}

func benchTouch() error {
	fill, set := side{name: "fill p50, 10 MB", unit: "ns"}, side{name: "memset of 10 MB, private", unit: "ns"}
	read, compare := side{name: "read p50, 10 MB", unit: "ns"}, side{name: "compare of 10 MB, private", unit: "ns"}
	for range rounds {
		var f, s, r, c float64 // means of both orders
		for _, order := range []string{"beside-before", "beside-after"} {
			totals, figures, err := measure(transport.Config{Transport: find(order), Size: big, Rate: 50}, time.Second)
			if err != nil {
				return err
			}
			f += p50(totals, transport.Fill) / 2
			r += p50(totals, transport.Read) / 2
			s += figures["drops."+setTime] / 2
			c += figures["drops."+compareTime] / 2
		}
		fill.add(f)
		read.add(r)
		set.add(s)
		compare.add(c)
	}
	ratio(&fill, &set, atMost(1.1))
	ratio(&read, &compare, atMost(1.1))
	return nil
}

func benchNotify() error {
	futex, poll := side{name: "service p50, futex", unit: "ns"}, side{name: "service p50, poll50", unit: "ns"}
	for range rounds {
		for _, s := range []struct {
			n  shm.Notifier
			to *side
		}{{shm.Futex, &futex}, {shm.Poll50, &poll}} {
			totals, _, err := measure(transport.Config{Transport: find("shm"), Notifier: s.n, Rate: 1000, Policy: rtsched.Other}, time.Second)
			if err != nil {
				return err
			}
			s.to.add(p50(totals, transport.Service))
		}
	}
	ratio(&futex, &poll, atMost(0.3))
	return nil
}

func benchSpin() error {
	ring, err := compile("ring", ringSource)
	if err != nil {
		return err
	}
	defer ring.remove()
	harness, ours := side{name: "service p50, empty, 1 kHz", unit: "ns"}, side{name: "service p50, shm+spin, 1 kHz", unit: "ns"}
	theirs := side{name: "C ring p50, 1 kHz", unit: "ns"}
	for range rounds {
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
	var more []float64
	for i, ns := range harness.values {
		more = append(more, ns-theirs.values[i])
	}
	for _, s := range []*side{&harness, &ours, &theirs} {
		s.print()
	}
	atMost(100).print("empty over the ring", " ns", more)
	atMost(1000).print("shm", " ns", ours.values)
	return nil
}

// rateCount messages take a quarter of a second at most.
const rateCount = 1_000_000

func benchRate() error {
	ring, err := compile("ring", ringSource)
	if err != nil {
		return err
	}
	defer ring.remove()
	ours, theirs := side{name: "shm+spin, messages", unit: "/s"}, side{name: "C ring, messages", unit: "/s"}
	for range rounds {
		rate, err := throughput(rateCount)
		if err != nil {
			return err
		}
		ours.add(rate)
		out, err := ring.run(rateCount, 0)
		if err != nil {
			return err
		}
		theirs.add(out.PerSecond)
	}
	ratio(&ours, &theirs, atLeast(0.7))
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
		atMost(0.5).print(cpu.name, " "+cpu.unit, cpu.values)
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
		ratio(&ours, &theirs, atMost(1.1))
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
