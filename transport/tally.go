package transport

import (
	"math"

	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/sampler"
	"worstcase/session"
)

// A tally brings the rows and counts of a cell into the recorder and, at the
// end, into figures.
type tally struct {
	first, from, to int64
	stopped         int64
	last            []int64 // due time of the newest message, by subscriber
	lost            []int64 // told to the recorder, by subscriber

	started           bool
	roles             []role
	memory            map[string]int64
	publishedAtTheEnd int64
}

// A role is the processes whose cost is told together.
type role struct {
	name       string
	pids       []int
	begin, end cost
}

func (t *tally) begin(s *Source, first, from, to int64) {
	t.first, t.from, t.to = first, from, to
	t.last, t.lost = make([]int64, s.cfg.Subscribers), make([]int64, s.cfg.Subscribers)
	pids := func(children []*sampler.Child) (pids []int) {
		for _, c := range children {
			pids = append(pids, c.Pid())
		}
		return pids
	}
	t.roles = []role{{name: "publisher", pids: pids(s.publishers)}, {name: "subscriber", pids: pids(s.subscribers)}}
	if s.broker != nil && s.broker.PID > 0 {
		t.roles = append(t.roles, role{name: "broker", pids: []int{s.broker.PID}})
	}
}

// drain moves rows and counts into rec.
func (t *tally) drain(s *Source, rec *session.Recorder) {
	if !t.started && sys.Nanotime() >= t.from {
		t.started = true
		for i := range t.roles {
			t.roles[i].begin = costOf(t.roles[i].pids)
		}
	}
	for i, c := range s.publishers {
		if c != nil {
			t.drainPublisher(s, rec, i, c)
		}
	}
	for i, c := range s.subscribers {
		if c != nil {
			t.drainSubscriber(s, rec, i, c)
		}
	}
	if s.over {
		t.settle(s, rec)
	}
}

func (t *tally) drainPublisher(s *Source, rec *session.Recorder, i int, c *sampler.Child) {
	wakeup := s.cfg.wakeupSeries(i)
	fill := wakeup + 1
	c.Rings[0].Rows(func(row []int64) {
		rec.Sample(wakeup, row[0], row[1], 0)
		switch {
		case s.cfg.NoTouch:
		case row[2] < 0:
			rec.Lost(fill, row[0], 1)
		default:
			rec.Sample(fill, row[0], row[2], 0)
		}
	})
	if d, ok := c.Rings[0].Dropped(); ok {
		t.mergeDropped(s, rec, d, wakeup, s.cfg.publisherSeries())
	}
	faults, involuntary := c.Rings[0].Switches()
	rec.Switches(wakeup, faults+involuntary)
	if s.cfg.RoundTrip {
		back := len(s.cfg.series()) - 1
		c.Rings[1].Rows(func(row []int64) { rec.Sample(back, row[0], row[1], 0) })
		if d, ok := c.Rings[1].Dropped(); ok {
			t.mergeDropped(s, rec, d, back, []string{RoundTrip})
		}
	}
}

func (t *tally) drainSubscriber(s *Source, rec *session.Recorder, i int, c *sampler.Child) {
	service := s.cfg.serviceSeries(i)
	what := s.cfg.subscriberSeries()
	switches := int64(0)
	for _, ring := range c.Rings {
		ring.Rows(func(row []int64) {
			t.last[i] = max(t.last[i], row[0])
			for k := range what {
				if row[4] != 0 && s.cfg.SlotPeriod() > 0 {
					rec.Throttled(service+k, row[0], 1)
				} else {
					rec.Sample(service+k, row[0], row[1+k], 0)
				}
			}
		})
		if d, ok := ring.Dropped(); ok {
			t.mergeDropped(s, rec, d, service, what)
		}
		faults, involuntary := ring.Switches()
		switches += faults + involuntary
	}
	rec.Switches(service, switches)
	t.tellLost(s, rec, i, t.count(s, i, wordLost))
}

// tellLost tells the recorder of messages lost until now, at the time of the
// newest message that came.
func (t *tally) tellLost(s *Source, rec *session.Recorder, i int, lost int64) {
	news := lost - t.lost[i]
	if news <= 0 {
		return
	}
	t.lost[i] = lost
	at := max(t.last[i], t.from)
	if t.to > 0 {
		at = min(at, t.to-1)
	}
	for k := range s.cfg.subscriberSeries() {
		rec.Lost(s.cfg.serviceSeries(i)+k, at, news)
	}
}

// count adds up a word over subscriber i's threads.
func (t *tally) count(s *Source, i, word int) int64 {
	n := int64(0)
	for p := range s.cfg.Publishers {
		page := s.board.page(s.page(i, p))
		n += page.count(word)
	}
	return n
}

// published adds up a word over the publishers.
func (t *tally) published(s *Source, word int) int64 {
	n := int64(0)
	for p := range s.cfg.Publishers {
		page := s.board.page(p)
		n += page.count(word)
	}
	return n
}

// settle compares the sums of both ends: what was published and did not come is
// lost, the last messages included. Slots that no publisher reached are
// overruns.
func (t *tally) settle(s *Source, rec *session.Recorder) {
	published := t.published(s, wordMessages) - t.late(s, rec)
	unsent := max(0, t.slots(s)-published)
	for i := range s.cfg.Subscribers {
		t.tellLost(s, rec, i, published-t.count(s, i, wordMessages))
		for k := range s.cfg.subscriberSeries() {
			rec.Overruns(s.cfg.serviceSeries(i)+k, t.from, unsent)
		}
	}
	for p := range s.cfg.Publishers {
		page := s.board.page(p)
		unsent := max(0, t.slots(s)/int64(s.cfg.Publishers)-page.count(wordMessages))
		for k := range s.cfg.publisherSeries() {
			rec.Overruns(s.cfg.wakeupSeries(p)+k, t.from, unsent)
		}
	}
}

// late is how many messages were published after the measured time, by those who
// had not been told yet that an end was gone.
func (t *tally) late(s *Source, rec *session.Recorder) int64 {
	period := int64(s.cfg.Period())
	if !s.failed || period == 0 {
		return 0
	}
	n := int64(0)
	for p := range s.cfg.Publishers {
		page := s.board.page(p)
		for k := page.count(wordMessages); k > 0 && !rec.Measured(t.due(k, period)); k-- {
			n++
		}
	}
	return n
}

// due is when the k-th message of the measured time, from 1, was due.
func (t *tally) due(k, period int64) int64 {
	return t.first + (int64(slot(t.from, t.first, period))+k-2)*period
}

// slots is how many messages were due in the measured time, 0 without a rate,
// and where nobody knows when the time ended, since an end was killed.
func (t *tally) slots(s *Source) int64 {
	period := int64(s.cfg.Period())
	if period == 0 || s.failed || t.stopped <= t.from {
		return 0
	}
	end := t.stopped
	if t.to > 0 {
		end = min(end, t.to)
	}
	return int64(s.cfg.Publishers) * int64(slot(end, t.first, period)-slot(t.from, t.first, period))
}

// mergeDropped records samples that met a full ring. Extremes that the ring
// doesn't know anew lie within those of the samples dropped before.
func (t *tally) mergeDropped(s *Source, rec *session.Recorder, d sampler.Dropped, series int, what []string) {
	due := d.Columns[0]
	length := d.Rows * int64(max(s.cfg.Period(), 1))
	for k := range what {
		c := d.Columns[1+k]
		mean := c.Sum / d.Rows
		tally := results.Tally{Unrecorded: d.Rows, Sum: c.Sum, Min: mean, Max: mean, MaxAt: due.Max}
		if c.Min != math.MaxInt64 {
			tally.Min = c.Min
		}
		if c.Max != math.MinInt64 {
			tally.Max, tally.MaxAt = c.Max, c.MaxAt
		}
		rec.Merge(series+k, due.Max-length, due.Max, &tally)
	}
}

// stop takes the costs while all processes still are.
func (t *tally) stop(s *Source) {
	t.stopped = sys.Nanotime()
	t.memory = map[string]int64{}
	for i := range t.roles {
		r := &t.roles[i]
		r.end = costOf(r.pids)
		t.memory[r.name] = memoryOf(r.pids)
	}
	t.publishedAtTheEnd = t.published(s, wordMessages)
}
