package sampler

import (
	"bytes"
	"fmt"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A probe reads one measuring thread's counters from another thread, without
// allocating: /proc/self/task/TID/stat and status (proc(5)).
type probe struct {
	words []uint32
	// cpu is where the thread belongs, negative for anywhere; strayed is the
	// CPU on which it was seen instead, or -1.
	cpu     int
	strayed int
	stat    int
	status  int
	start   counters
	buffer  [4096]byte
}

type counters struct {
	minor, major, voluntary, involuntary int64

	processor int64
}

func newProbe(tid, cpu int, words []uint32) (*probe, error) {
	p := &probe{words: words, cpu: cpu, strayed: -1}
	var err error
	for _, f := range []struct {
		name string
		fd   *int
	}{{"stat", &p.stat}, {"status", &p.status}} {
		path := fmt.Sprintf("/proc/self/task/%d/%s", tid, f.name)
		if *f.fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
	}
	return p, nil
}

// baseline takes the counters as those of the measured start.
func (p *probe) baseline() { p.start = p.read() }

// publish writes the counters since the baseline into the ring's header, and
// tells whether the thread is where it belongs: the kernel moves the threads
// of a CPU that goes offline, and of a cpuset that shrinks, without a word.
func (p *probe) publish() (inPlace bool) {
	now := p.read()
	if p.cpu >= 0 && now.processor != int64(p.cpu) {
		p.strayed = int(now.processor)
	}
	faults := now.minor + now.major - p.start.minor - p.start.major
	atomic.StoreUint32(&p.words[wordFaults], uint32(faults))
	atomic.StoreUint32(&p.words[wordSwitches], uint32(now.involuntary-p.start.involuntary))
	return p.strayed < 0
}

// read returns the last counters again when the thread is gone.
func (p *probe) read() counters {
	var c counters
	n, err := unix.Pread(p.stat, p.buffer[:], 0)
	if err != nil || n == 0 {
		return p.start
	}
	// Fields after ")": state ppid pgrp session tty tpgid flags minflt cminflt majflt.
	fields := p.buffer[bytes.LastIndexByte(p.buffer[:n], ')')+1 : n]
	c.minor = number(fields, 8)
	c.major = number(fields, 10)
	c.processor = number(fields, 37)
	if n, err = unix.Pread(p.status, p.buffer[:], 0); err != nil {
		return p.start
	}
	c.voluntary = after(p.buffer[:n], "\nvoluntary_ctxt_switches:")
	c.involuntary = after(p.buffer[:n], "\nnonvoluntary_ctxt_switches:")
	return c
}

// number is the n-th (from 1) word of b as a decimal number.
func number(b []byte, n int) int64 {
	for i := 1; ; i++ {
		for len(b) > 0 && b[0] == ' ' {
			b = b[1:]
		}
		if i == n {
			return digits(b)
		}
		for len(b) > 0 && b[0] != ' ' {
			b = b[1:]
		}
	}
}

func after(b []byte, key string) int64 {
	at := bytes.Index(b, []byte(key))
	if at < 0 {
		return 0
	}
	b = b[at+len(key):]
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	return digits(b)
}

func digits(b []byte) (v int64) {
	for len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		v = v*10 + int64(b[0]-'0')
		b = b[1:]
	}
	return v
}
