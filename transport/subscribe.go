package transport

import (
	"io"
	"time"

	"worstcase/internal/sys"
	"worstcase/sampler"
)

// subscriber prepares a receiving end, for the publisher of the thread's index.
func (l loops) subscriber(t *sampler.Thread) (sampler.Body, error) {
	tr, a, b, page, err := l.prepare(t)
	if err != nil {
		return nil, err
	}
	a.Options.Topic = topic(a.Options.Topic, t.Index)
	s, err := openSubscriber(tr, a.Options, t, 1+t.Index)
	if err != nil {
		return nil, err
	}
	loop := &subscribeLoop{
		thread: t, subscriber: s, page: page, pattern: new(pattern),
		period: int64(a.Period), touch: a.Touch, words: a.Words, rest: a.Rest && a.Spins,
	}
	if a.RoundTrip {
		back := a.Options
		back.Topic = backTopic(a.Options.Topic)
		link, err := OpenLink(t.Files[1+t.Threads])
		if err != nil {
			return nil, err
		}
		if loop.back, err = tr.Publisher(back, []*Link{link}); err != nil {
			return nil, err
		}
		link.Close()
	}
	return func(first int64) error {
		from, to := b.time()
		loop.ledger.measured = newMeasured(from, to, first, loop.period)
		err := pinned(tr, loop.run)
		page.putText(s.Drops())
		if loop.back != nil {
			loop.back.Close()
		}
		s.Close()
		return err
	}, nil
}

// openSubscriber makes a receiving end over the link in the thread's file.
func openSubscriber(tr Transport, o Options, t *sampler.Thread, file int) (Subscriber, error) {
	link, err := OpenLink(t.Files[file])
	if err != nil {
		return nil, err
	}
	defer link.Close()
	return tr.Subscriber(o, link)
}

type subscribeLoop struct {
	thread     *sampler.Thread
	subscriber Subscriber
	back       Publisher
	page       page
	pattern    *pattern
	ledger     ledger
	period     int64
	touch      bool
	words      bool
	rest       bool
	slept      int64
	rested     int64 // end of the last rest
	last       int64 // when a message came last
	row        [5]int64
}

// endPatience is how long the last messages may be on their way: in ns, since
// the one before them.
const endPatience = int64(3 * time.Second)

// run is the subscriber's hot loop; what is forbidden in the publisher's is
// forbidden here. It ends with the publisher's last message, or when it is told
// to and nothing comes any more.
func (l *subscribeLoop) run() error {
	var h header
	l.slept = sys.Nanotime()
	l.last = l.slept
	for {
		b, err := l.subscriber.Take()
		received := sys.Nanotime()
		if err != nil {
			if err == io.EOF || err == ErrTimeout && l.thread.Stopped() && received-l.last > endPatience {
				return nil
			}
			if err != ErrTimeout {
				return err
			}
			l.pause(received, 2*restTime) // a message may be due any time: rarely
			continue
		}
		l.last = received
		h.get(b)
		if h.seq == 0 { // a trial of the publisher's
			l.subscriber.Release()
			continue
		}
		intact := int(h.length) == len(b)-HeaderBytes
		end := received
		if l.touch {
			intact = intact && l.verify(b[HeaderBytes:], h.seq)
			end = sys.Nanotime()
		}
		l.subscriber.Release()
		if l.back != nil {
			if err := l.sendBack(&h); err != nil {
				return err
			}
		}
		l.account(&h, received, end, intact)
		l.pause(received, l.restTime())
	}
}

// verify reads the payload, and reports whether it is the message's.
func (l *subscribeLoop) verify(b []byte, seq uint64) bool {
	if l.words {
		return l.pattern.verifyWords(b, seq)
	}
	return l.pattern.verify(b, seq)
}

// account counts the message and puts its row, once.
func (l *subscribeLoop) account(h *header, received, end int64, intact bool) {
	words := l.page.words
	counts := l.ledger.note(h.seq, h.due)
	words[wordMessages].Store(l.ledger.received)
	words[wordLost].Store(l.ledger.gaps)
	words[wordDuplicates].Store(l.ledger.duplicates)
	words[wordReordered].Store(l.ledger.reordered)
	if !counts {
		return
	}
	if !intact {
		words[wordCorrupt].Add(1)
	}
	if l.period > 0 && received-h.due > l.period {
		words[wordLate].Add(1)
	}
	l.row = [5]int64{h.due, received - h.send, received - h.due, end - received, 0}
	if h.send < l.rested {
		l.row[4] = 1
	}
	l.thread.Put(l.row[:])
}

// sendBack returns a message of the same size: its header, and whatever else the
// memory holds.
func (l *subscribeLoop) sendBack(h *header) error {
	b, err := l.back.Loan()
	if err != nil {
		return err
	}
	h.put(b)
	return l.back.Publish()
}

// restTime is how long a spinning subscriber rests after a message: it wakes
// before the next one is due, where that is far enough away for a sleep.
func (l *subscribeLoop) restTime() int64 {
	const worthASleep = int64(400 * time.Microsecond)
	if l.period < worthASleep || l.period > 2*restTime {
		return restTime
	}
	return l.period / 2
}

// pause rests when the thread has spun too long for a rest of that length:
// nine tenths of the time it may.
func (l *subscribeLoop) pause(now, rest int64) {
	if !l.rest || now-l.slept < 8*rest {
		return
	}
	sys.SleepUntil(now + rest)
	l.slept = sys.Nanotime()
	l.rested = l.slept
}

// returner prepares the end at which the publisher's messages come back.
func (l loops) returner(t *sampler.Thread, tr Transport, a arguments, page page) (sampler.Body, error) {
	o := a.Options
	o.Topic = backTopic(topic(o.Topic, 0))
	s, err := openSubscriber(tr, o, t, 1+a.Options.Subscribers)
	if err != nil {
		return nil, err
	}
	return func(int64) error {
		defer s.Close()
		return pinned(tr, func() error { return takeBack(t, s) })
	}, nil
}

// takeBack is the hot loop of the messages that come back.
func takeBack(t *sampler.Thread, s Subscriber) error {
	var h header
	var row [3]int64
	for {
		b, err := s.Take()
		received := sys.Nanotime()
		if err != nil {
			if err == io.EOF || err == ErrTimeout && t.Stopped() {
				return nil
			}
			if err != ErrTimeout {
				return err
			}
			continue
		}
		h.get(b)
		s.Release()
		if h.seq == 0 {
			continue
		}
		row[0], row[1] = h.due, received-h.send
		t.Put(row[:])
	}
}
