// Package mqtt carries messages over MQTT: the paho client, and the mochi
// server, embedded in a process of its own, Debian's mosquitto, or any broker
// that runs already.
package mqtt

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/listeners"
	"github.com/mochi-mqtt/server/v2/packets"

	"worstcase/internal/remedy"
	"worstcase/transport"
)

// Transport is MQTT 3.1.1 over TCP: quality of service 1 where it is to be
// reliable, 0 for best effort.
type Transport struct{}

// Name is mqtt.
func (Transport) Name() string { return "mqtt" }

// Describe names the versions of client and server.
func (Transport) Describe() string {
	return "MQTT 3.1.1, paho client, mochi server " + mochi.Version + " of its own process"
}

// Check always succeeds: both ends and the server are part of this program.
func (Transport) Check() error { return nil }

// Managed is true: the client reads and writes in goroutines.
func (Transport) Managed() bool { return true }

// Broker starts the embedded server.
func (t Transport) Broker(o transport.Options) (*transport.Broker, error) {
	return transport.StartEmbedded(t, o)
}

// ServeBroker runs the server on a free port of the loopback interface, without
// a limit on the size of packets.
func (Transport) ServeBroker(transport.Options) (*transport.Broker, error) {
	capabilities := mochi.NewDefaultServerCapabilities()
	capabilities.MaximumPacketSize = 0
	s := mochi.New(&mochi.Options{Capabilities: capabilities, Logger: slog.New(slog.DiscardHandler)})
	if err := s.AddHook(new(everybody), nil); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if err := s.AddListener(listeners.NewNet("loopback", listener)); err != nil {
		return nil, err
	}
	return &transport.Broker{URL: "tcp://" + listener.Addr().String()}, s.Serve()
}

// everybody lets every client do everything.
type everybody struct{ mochi.HookBase }

func (*everybody) ID() string { return "everybody" }

func (*everybody) Provides(b byte) bool {
	return b == mochi.OnConnectAuthenticate || b == mochi.OnACLCheck
}

func (*everybody) OnConnectAuthenticate(*mochi.Client, packets.Packet) bool { return true }
func (*everybody) OnACLCheck(*mochi.Client, string, bool) bool              { return true }

// maxPacket is the protocol's: a length of four bytes of seven bits.
const maxPacket = 1<<28 - 1

func connect(o transport.Options, name string, lost func(error)) (paho.Client, error) {
	if o.Size > maxPacket-1024 {
		return nil, remedy.Unavailable(fmt.Errorf("%w: MQTT's packets have at most %d bytes", transport.ErrSize, maxPacket), "")
	}
	c := paho.NewClient(paho.NewClientOptions().AddBroker(o.URL).SetClientID(o.Topic + "." + name).
		SetAutoReconnect(false).SetOrderMatters(true).SetProtocolVersion(4).
		SetConnectionLostHandler(func(_ paho.Client, err error) { lost(err) }))
	if err := wait(c.Connect()); err != nil {
		return nil, fmt.Errorf("connect to %s: %w", o.URL, err)
	}
	return c, nil
}

func wait(t paho.Token) error {
	if !t.WaitTimeout(5 * time.Second) {
		return fmt.Errorf("the broker did not answer within five seconds")
	}
	return t.Error()
}

func quality(o transport.Options) byte {
	if o.BestEffort {
		return 0
	}
	return 1
}

// Publisher connects and waits for the subscriptions.
func (Transport) Publisher(o transport.Options, links []*transport.Link) (transport.Publisher, error) {
	p := &publisher{topic: o.Topic, quality: quality(o)}
	var err error
	if p.client, err = connect(o, "publisher", func(error) {}); err != nil {
		return nil, err
	}
	if err := transport.AwaitReady(links); err != nil {
		p.client.Disconnect(0)
		return nil, err
	}
	p.buffers = make([][]byte, o.Depth)
	p.tokens = make([]paho.Token, o.Depth)
	for i := range p.buffers {
		p.buffers[i] = make([]byte, o.Size)
	}
	return p, nil
}

// Subscriber subscribes, and is ready when the server has said so.
func (Transport) Subscriber(o transport.Options, link *transport.Link) (transport.Subscriber, error) {
	s := &subscriber{messages: make(chan []byte, o.Depth), end: make(chan struct{})}
	var err error
	name := fmt.Sprintf("subscriber-%d", time.Now().UnixNano())
	s.client, err = connect(o, name, func(error) { close(s.end) })
	if err != nil {
		return nil, err
	}
	err = wait(s.client.Subscribe(o.Topic, quality(o), func(_ paho.Client, m paho.Message) { s.put(o.BestEffort, m.Payload()) }))
	if err == nil {
		err = link.Ready()
	}
	if err != nil {
		s.client.Disconnect(0)
		return nil, fmt.Errorf("subscribe to %s: %w", o.Topic, err)
	}
	return s, nil
}

// A publisher rotates through buffers, since the client writes in a goroutine
// of its own: a buffer is free when its last message was written, or, at
// quality 1, acknowledged.
type publisher struct {
	client  paho.Client
	topic   string
	quality byte
	buffers [][]byte
	tokens  []paho.Token
	next    int
}

func (p *publisher) Loan() ([]byte, error) {
	if t := p.tokens[p.next]; t != nil {
		if err := wait(t); err != nil {
			return nil, err
		}
	}
	return p.buffers[p.next], nil
}

func (p *publisher) Publish() error {
	p.tokens[p.next] = p.client.Publish(p.topic, p.quality, false, p.buffers[p.next])
	p.next = (p.next + 1) % len(p.buffers)
	return nil
}

func (p *publisher) Drops() map[string]int64 { return nil }

// Close sends an empty message for the end.
func (p *publisher) Close() error {
	defer p.client.Disconnect(100)
	return wait(p.client.Publish(p.topic, p.quality, false, []byte{}))
}

type subscriber struct {
	client   paho.Client
	messages chan []byte
	end      chan struct{} // closed when the connection is lost
	dropped  atomic.Int64
}

// put takes a message from the client's goroutine.
func (s *subscriber) put(drop bool, b []byte) {
	if !drop || len(b) == 0 {
		s.messages <- b
		return
	}
	select {
	case s.messages <- b:
	default:
		s.dropped.Add(1)
	}
}

func (s *subscriber) Take() ([]byte, error) {
	select {
	case b := <-s.messages:
		if len(b) == 0 {
			return nil, io.EOF
		}
		return b, nil
	case <-s.end:
		return nil, fmt.Errorf("the connection to the broker was lost")
	case <-time.After(200 * time.Millisecond):
		return nil, transport.ErrTimeout
	}
}

func (s *subscriber) Release() {}

// Drops are what came while the queue was full.
func (s *subscriber) Drops() map[string]int64 {
	return map[string]int64{"slow consumer": s.dropped.Load()}
}

func (s *subscriber) Close() error {
	s.client.Disconnect(0)
	return nil
}
