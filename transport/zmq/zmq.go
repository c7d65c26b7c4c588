// Package zmq carries messages over ZeroMQ, in the pure Go implementation: a
// pair of PAIR sockets over a unix socket for each subscriber.
package zmq

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/go-zeromq/zmq4"

	"worstcase/transport"
)

// Transport is ZeroMQ's PAIR pattern.
type Transport struct{}

// Name is zmq.
func (Transport) Name() string { return "zmq" }

// Describe names the implementation's version.
func (Transport) Describe() string { return "ZeroMQ PAIR over a unix socket, zmq4 " + version() }

// version of the module, as the binary tells it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/go-zeromq/zmq4" {
				return m.Version
			}
		}
	}
	return "(unknown version)"
}

// Check always succeeds.
func (Transport) Check() error { return nil }

// Managed is true: the sockets read in goroutines.
func (Transport) Managed() bool { return true }

// Broker is none: ZeroMQ has no broker.
func (Transport) Broker(transport.Options) (*transport.Broker, error) { return nil, nil }

// address is what the publisher tells its subscriber.
type address struct {
	Endpoint string `json:"endpoint"`
}

// Publisher listens on an abstract unix socket for each subscriber.
func (Transport) Publisher(o transport.Options, links []*transport.Link) (transport.Publisher, error) {
	if o.BestEffort {
		return nil, fmt.Errorf("zmq is reliable: its PAIR sockets have no best effort")
	}
	p := &publisher{buffer: make([]byte, o.Size)}
	for i, link := range links {
		s := zmq4.NewPair(context.Background())
		p.sockets = append(p.sockets, s)
		a := address{fmt.Sprintf("ipc://@%s.%d", o.Topic, i)}
		err := s.Listen(a.Endpoint)
		if err == nil {
			err = link.Send(a)
		}
		if err == nil {
			err = transport.AwaitReady([]*transport.Link{link})
		}
		if err != nil {
			p.closeAll()
			return nil, fmt.Errorf("listen on %s: %w", a.Endpoint, err)
		}
	}
	return p, nil
}

// Subscriber dials the address that the publisher names.
func (Transport) Subscriber(o transport.Options, link *transport.Link) (transport.Subscriber, error) {
	var a address
	if _, err := link.Receive(&a, 0); err != nil {
		return nil, err
	}
	s := zmq4.NewPair(context.Background())
	err := s.Dial(a.Endpoint)
	if err == nil {
		err = link.Ready()
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("dial %s: %w", a.Endpoint, err)
	}
	return &subscriber{socket: s}, nil
}

type publisher struct {
	sockets []zmq4.Socket
	buffer  []byte
}

func (p *publisher) Loan() ([]byte, error) { return p.buffer, nil }

// Publish writes the message to each socket before it returns.
func (p *publisher) Publish() error { return p.send(zmq4.NewMsg(p.buffer)) }

func (p *publisher) send(m zmq4.Msg) error {
	for _, s := range p.sockets {
		if err := s.Send(m); err != nil {
			return err
		}
	}
	return nil
}

func (p *publisher) Drops() map[string]int64 { return nil }

// Close sends an empty message for the end.
func (p *publisher) Close() error {
	defer p.closeAll()
	return p.send(zmq4.NewMsg(nil))
}

func (p *publisher) closeAll() {
	for _, s := range p.sockets {
		s.Close()
	}
}

type subscriber struct{ socket zmq4.Socket }

func (s *subscriber) Take() ([]byte, error) {
	m, err := s.socket.Recv()
	if err != nil {
		return nil, err
	}
	b := m.Bytes()
	if len(b) == 0 {
		return nil, io.EOF
	}
	return b, nil
}

func (s *subscriber) Release()                {}
func (s *subscriber) Drops() map[string]int64 { return nil }
func (s *subscriber) Close() error            { return s.socket.Close() }
