package transport

import (
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/sampler"
)

// publisher prepares the sending end, or, on a second thread, the end at which
// messages come back.
func (l loops) publisher(t *sampler.Thread) (sampler.Body, error) {
	tr, a, b, page, err := l.prepare(t)
	if err != nil {
		return nil, err
	}
	if t.Index > 0 {
		return l.returner(t, tr, a, page)
	}
	var links []*Link
	defer func() {
		for _, link := range links {
			link.Close()
		}
	}()
	for i := range a.Options.Subscribers {
		link, err := OpenLink(t.Files[1+i])
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	a.Options.Topic = topic(a.Options.Topic, a.Publisher)
	p, err := tr.Publisher(a.Options, links)
	if err != nil {
		return nil, err
	}
	loop := &publishLoop{
		thread: t, publisher: p, page: page, pattern: new(pattern),
		period: int64(a.Period), touch: a.Touch, words: a.Words, rest: a.Rest, managed: tr.Managed(),
	}
	return func(first int64) error {
		from, to := b.time()
		loop.measured = newMeasured(from, to, first, loop.period)
		err := pinned(tr, func() error { return loop.run(first) })
		page.putText(p.Drops())
		if closed := p.Close(); err == nil && closed != nil && !t.Stopped() {
			err = closed
		}
		return err
	}, nil
}

// pinned runs a hot loop where Go's scheduler leaves it alone, unless the
// transport needs the scheduler.
func pinned(tr Transport, loop func() error) error {
	if !tr.Managed() {
		sys.Pin()
		defer sys.Unpin()
	}
	return loop()
}

type publishLoop struct {
	thread    *sampler.Thread
	publisher Publisher
	page      page
	pattern   *pattern
	measured  measured
	header    header
	period    int64
	slept     int64 // when the thread slept last
	touch     bool
	words     bool
	rest      bool
	managed   bool
	row       [3]int64
}

// run is the publisher's hot loop. Forbidden in it: allocation, maps, deferred
// calls, channels, mutexes, time.Now, fmt, system calls that aren't raw. The only
// interface calls are the transport's.
// Message k is due at first + (k-1) periods, however late the ones before it
// were sent: a publisher that fell behind sends what is due at once, and every
// message knows when it should have gone.
func (l *publishLoop) run(due int64) error {
	h := &l.header
	l.slept = sys.Nanotime()
	for seq := uint64(1); !l.thread.Stopped(); seq++ {
		wake := l.await(due)
		if l.period == 0 {
			due = wake
		}
		b, err := l.publisher.Loan()
		if err == nil {
			*h = header{seq: seq, due: due, fill: sys.Nanotime(), length: uint32(len(b) - HeaderBytes)}
			if l.touch {
				l.fill(b[HeaderBytes:], seq)
			}
			h.put(b)
			h.stamp(b, sys.Nanotime())
			err = l.publisher.Publish()
			l.row[2] = h.send - h.fill
		} else {
			l.row[2] = -1
		}
		counts := l.measured.counts(seq, due)
		if err != nil {
			if err != ErrDropped {
				return err
			}
			if counts {
				l.page.words[wordDropped].Add(1)
			}
		}
		if counts {
			l.page.words[wordMessages].Add(1)
		}
		l.row[0], l.row[1] = due, wake-due
		l.thread.Put(l.row[:])
		due += l.period
	}
	return nil
}

// fill writes the payload.
func (l *publishLoop) fill(b []byte, seq uint64) {
	if l.words {
		l.pattern.fillWords(b, seq)
	} else {
		l.pattern.fill(b, seq)
	}
	l.header.flags = flagFilled
}

// A real-time thread holds its CPU for spinTime at most and then rests for
// restTime: nine tenths, below the 95 % at which the kernel steps in
// (sched_rt_runtime_us).
const (
	spinTime = int64(90 * time.Millisecond)
	restTime = int64(10 * time.Millisecond)
)

// await sleeps until due and returns the time. A publisher that is behind, or
// has no period, doesn't sleep; it rests when it hasn't slept for too long.
func (l *publishLoop) await(due int64) int64 {
	now := sys.Nanotime()
	switch {
	case l.period > 0 && due > now:
		l.sleepUntil(due)
	case l.rest && now-l.slept > spinTime:
		l.sleepUntil(now + restTime)
	default:
		return now
	}
	l.slept = sys.Nanotime()
	return l.slept
}

// sleepUntil sleeps, seen by Go's scheduler where the transport needs it.
func (l *publishLoop) sleepUntil(t int64) {
	if !l.managed {
		sys.SleepUntil(t)
		return
	}
	ts := unix.NsecToTimespec(t)
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil) == unix.EINTR {
	}
}
