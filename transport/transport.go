// Package transport measures how long messages take from a publisher to
// subscribers in other processes, over the kernel's transports, the arena of
// transport/shm, and the middlewares in the packages below this one.
//
// A Transport is a way of carrying messages. All are measured by the same two
// loops: a publisher that fills and sends a message on a fixed schedule, and
// subscribers that take and read it. The loops know nothing of the transport.
package transport

import (
	"errors"
	"fmt"
	"slices"

	"worstcase/internal/remedy"
	"worstcase/transport/shm"
)

// The errors that a Transport's ends return in their loops.
var (
	// ErrSize means that the transport can't carry messages of this size here.
	ErrSize = errors.New("unsupported size")
	// ErrDropped means that the message was not sent: Publisher.Drops says why.
	ErrDropped = errors.New("message dropped")
	// ErrTimeout means that no message came for a while; the end is still good.
	ErrTimeout = errors.New("no message")
)

// A Transport is one way of carrying messages between processes. A new one is
// one file, or one package where it needs a library.
type Transport interface {
	// Name is what users call it.
	Name() string
	// Describe says what it is, with the version that would run here.
	Describe() string
	// Check returns nil when it can be used on this machine, else an error that
	// carries the remedy.
	Check() error
	// Managed says that its library needs Go's garbage collector and scheduler:
	// the measuring threads then must not sleep unseen by them.
	Managed() bool
	// Broker starts what must run between the ends, and returns its address and
	// how to end it; a nil Broker for transports without one.
	Broker(o Options) (*Broker, error)
	// Publisher makes the sending end. It has one link to each subscriber's
	// process, and returns when all of them are connected.
	Publisher(o Options, links []*Link) (Publisher, error)
	// Subscriber makes a receiving end over its link to the publisher's process.
	Subscriber(o Options, link *Link) (Subscriber, error)
}

// A Publisher sends messages. One thread uses it. Loan and Publish allocate
// nothing, but for managed transports.
type Publisher interface {
	// Loan returns memory for the next message, of the size of Options. It may
	// hold anything.
	Loan() ([]byte, error)
	// Publish sends the memory that was lent last. It returns ErrDropped when the
	// message didn't leave for all subscribers.
	Publish() error
	// Drops are the messages that subscribers didn't get as far as this end
	// knows, each subscriber apart, by cause.
	Drops() map[string]int64
	// Close tells the subscribers that nothing more will come.
	Close() error
}

// A Subscriber receives messages. One thread uses it.
type Subscriber interface {
	// Take waits for the next message. It returns io.EOF after the publisher's
	// last one, and may return ErrTimeout now and then.
	Take() ([]byte, error)
	// Release ends the use of what Take returned last.
	Release()
	// Drops are the messages that this end knows it lost, by cause.
	Drops() map[string]int64
	Close() error
}

// Options are what both ends of a transport know.
type Options struct {
	// Size of a message in bytes, the frame's header included.
	Size int `json:"size"`
	// Depth of queues, in messages.
	Depth int `json:"depth"`
	// BestEffort drops messages rather than wait for a subscriber.
	BestEffort bool `json:"best_effort,omitempty"`
	// Subscribers of this publisher.
	Subscribers int `json:"subscribers"`
	// Notifier and Policy are the arena's.
	Notifier shm.Notifier `json:"notifier"`
	Policy   shm.Policy   `json:"policy"`
	// Raw makes the ends sleep without telling Go's scheduler.
	Raw bool `json:"raw,omitempty"`
	// URL of the broker, and Topic of this publisher.
	URL   string `json:"url,omitempty"`
	Topic string `json:"topic,omitempty"`
}

// A Broker is a process between the ends.
type Broker struct {
	URL string
	PID int
	// Folder of files of its own, empty without any; it goes when the broker is
	// stopped.
	Folder string
	Stop   func() error
}

// Kernel returns the transports that need nothing but the kernel, and the
// arena.
func Kernel() []Transport {
	return []Transport{
		arena{}, unixStream{}, seqpacket{}, pipe{}, splice{}, queue{}, tcp{}, udp{},
	}
}

// direct is what the transports have in common that need no broker and are
// always there.
type direct struct{}

func (direct) Check() error                    { return nil }
func (direct) Managed() bool                   { return false }
func (direct) Broker(Options) (*Broker, error) { return nil, nil }

// onlyReliable refuses what a byte stream can't do: a message that was begun
// must be ended.
func onlyReliable(name string, o Options) error {
	if o.BestEffort {
		return remedy.Unavailable(fmt.Errorf("%s is reliable: it has no best effort", name), "leave --best-effort away, or use shm, seqpacket, mq or udp")
	}
	return nil
}

// Find returns the transport of that name.
func Find(list []Transport, name string) (Transport, bool) {
	i := slices.IndexFunc(list, func(t Transport) bool { return t.Name() == name })
	if i < 0 {
		return nil, false
	}
	return list[i], true
}
