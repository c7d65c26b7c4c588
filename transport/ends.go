package transport

import (
	"fmt"
	"time"

	"worstcase/sampler"
)

// The names of the loops, as a sampler.Config has them.
const (
	loopPublish   = "transport-publish"
	loopSubscribe = "transport-subscribe"
)

// arguments is what a child gets of a Config. Its files are the board, and a link
// to each other end: a publisher's to every subscriber, a subscriber's to every
// publisher, with a thread for each; then, for the round trip, that of the way
// back.
type arguments struct {
	Transport string        `json:"transport"`
	Options   Options       `json:"options"`
	Period    time.Duration `json:"period_ns"`
	Touch     bool          `json:"touch"`
	Words     bool          `json:"words"`
	RoundTrip bool          `json:"round_trip"`
	// Rest says that threads must not hold their CPU: they are real-time ones.
	Rest bool `json:"rest"`
	// Spins says that subscribers wait without sleeping.
	Spins bool `json:"spins"`
	// Publisher is the number of the child among the publishers.
	Publisher int `json:"publisher"`
	// Ends of the whole cell, and First of them that is this child's.
	Ends  int `json:"ends"`
	First int `json:"first"`
}

// Loops returns what sampler.Main must know so that children of this program can
// be the ends of these transports.
func Loops(list []Transport) []sampler.Loop {
	l := loops{list}
	return []sampler.Loop{
		{Name: loopPublish, Columns: publishColumns(), New: l.publisher},
		{Name: loopSubscribe, Columns: subscribeColumns(), New: l.subscriber},
	}
}

// The rows of the loops. A fill of -1 says that there was no memory to fill.
// A message is throttled when the subscriber rested, not to hold its CPU, while
// it came. The publishers' second thread, which takes what comes back, puts
// the round trip where the first one puts the wake-up.
func publishColumns() []string   { return []string{"due", Wakeup, Fill} }
func subscribeColumns() []string { return []string{"due", Service, Response, Read, "throttled"} }

type loops struct{ list []Transport }

// prepare reads the arguments and opens the thread's page.
func (l loops) prepare(t *sampler.Thread) (Transport, arguments, *board, page, error) {
	var a arguments
	if err := t.Args(&a); err != nil {
		return nil, a, nil, page{}, err
	}
	tr, ok := Find(l.list, a.Transport)
	if !ok {
		return nil, a, nil, page{}, fmt.Errorf("this program has no transport %q", a.Transport)
	}
	b, err := openBoard(t.Files[0], a.Ends)
	if err != nil {
		return nil, a, nil, page{}, err
	}
	return tr, a, b, b.page(a.First + t.Index), nil
}

// topic names what publisher i sends, within the topic of the cell; backTopic
// names what comes back.
func topic(cell string, i int) string { return fmt.Sprintf("%s.p%d", cell, i+1) }
func backTopic(topic string) string   { return topic + ".back" }
