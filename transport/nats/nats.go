// Package nats carries messages over NATS: its Go client, and its server,
// embedded in a process of its own or running already.
package nats

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"worstcase/internal/remedy"
	"worstcase/transport"
)

// Transport is NATS, core publish and subscribe: at most once.
type Transport struct{}

// Name is nats.
func (Transport) Name() string { return "nats" }

// Describe names the versions of client and server.
func (Transport) Describe() string {
	return "NATS, Go client " + nats.Version + ", server " + server.VERSION + " of its own process"
}

// Check always succeeds: both ends and the server are part of this program.
func (Transport) Check() error { return nil }

// Managed is true: the client reads and flushes in goroutines.
func (Transport) Managed() bool { return true }

// Broker starts the embedded server.
func (t Transport) Broker(o transport.Options) (*transport.Broker, error) {
	return transport.StartEmbedded(t, o)
}

// ServeBroker runs the server on a free port of the loopback interface. The
// largest payload, and what may wait for one client, are raised to fit the
// messages.
func (Transport) ServeBroker(o transport.Options) (*transport.Broker, error) {
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		MaxPayload: int32(max(server.MAX_PAYLOAD_MAX_SIZE, o.Size)), MaxPending: max(64<<20, 2*int64(o.Size)*int64(o.Depth)),
	})
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(5 * time.Second) {
		return nil, errors.New("the NATS server was not ready within five seconds")
	}
	return &transport.Broker{URL: s.ClientURL()}, nil
}

func connect(o transport.Options) (*nats.Conn, error) {
	nc, err := nats.Connect(o.URL, nats.NoReconnect(), nats.Timeout(5*time.Second), nats.NoCallbacksAfterClientClose())
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", o.URL, err)
	}
	if int64(o.Size) > nc.MaxPayload() {
		nc.Close()
		return nil, remedy.Unavailable(fmt.Errorf("%w: the server's max_payload is %d bytes", transport.ErrSize, nc.MaxPayload()),
			"raise max_payload in the server's configuration")
	}
	return nc, nil
}

// Publisher connects and waits for the subscriptions.
func (Transport) Publisher(o transport.Options, links []*transport.Link) (transport.Publisher, error) {
	nc, err := connect(o)
	if err != nil {
		return nil, err
	}
	if err := transport.AwaitReady(links); err != nil {
		nc.Close()
		return nil, err
	}
	return &publisher{conn: nc, subject: o.Topic, buffer: make([]byte, o.Size)}, nil
}

// Subscriber subscribes, and is ready when the server has said so.
func (Transport) Subscriber(o transport.Options, link *transport.Link) (transport.Subscriber, error) {
	nc, err := connect(o)
	if err != nil {
		return nil, err
	}
	s := &subscriber{conn: nc}
	if s.sub, err = nc.SubscribeSync(o.Topic); err == nil {
		limit, bytes := -1, -1
		if o.BestEffort {
			limit, bytes = o.Depth, o.Depth*o.Size
		}
		err = s.sub.SetPendingLimits(limit, bytes)
	}
	if err == nil {
		err = nc.FlushTimeout(5 * time.Second)
	}
	if err == nil {
		err = link.Ready()
	}
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("subscribe to %s: %w", o.Topic, err)
	}
	return s, nil
}

type publisher struct {
	conn    *nats.Conn
	subject string
	buffer  []byte
}

func (p *publisher) Loan() ([]byte, error) { return p.buffer, nil }

// Publish hands the message to the client, which copies it.
func (p *publisher) Publish() error          { return p.conn.Publish(p.subject, p.buffer) }
func (p *publisher) Drops() map[string]int64 { return nil }

// Close sends an empty message for the end.
func (p *publisher) Close() error {
	defer p.conn.Close()
	if err := p.conn.Publish(p.subject, nil); err != nil {
		return err
	}
	return p.conn.FlushTimeout(2 * time.Second)
}

type subscriber struct {
	conn *nats.Conn
	sub  *nats.Subscription
}

func (s *subscriber) Take() ([]byte, error) {
	for {
		m, err := s.sub.NextMsg(200 * time.Millisecond)
		switch {
		case errors.Is(err, nats.ErrTimeout):
			return nil, transport.ErrTimeout
		case errors.Is(err, nats.ErrSlowConsumer): // told once; the count is in Drops
			continue
		case err != nil:
			return nil, err
		case len(m.Data) == 0:
			return nil, io.EOF
		}
		return m.Data, nil
	}
}

func (s *subscriber) Release() {}

// Drops are what the client dropped because this subscriber was too slow.
func (s *subscriber) Drops() map[string]int64 {
	n, err := s.sub.Dropped()
	if err != nil {
		return nil
	}
	return map[string]int64{"slow consumer": int64(n)}
}

func (s *subscriber) Close() error {
	s.conn.Close()
	return nil
}
