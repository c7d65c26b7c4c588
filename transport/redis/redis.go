// Package redis carries messages over Redis publish and subscribe: its Go
// client, and Debian's redis-server, started on a private socket, or one that
// runs already.
package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"worstcase/internal/remedy"
	"worstcase/transport"
)

// Transport is Redis PUBLISH and SUBSCRIBE: at most once.
type Transport struct{}

const server = "redis-server"

// Name is redis.
func (Transport) Name() string { return "redis" }

// Describe names the versions of client and server.
func (Transport) Describe() string {
	version := "not installed"
	if out, err := exec.Command(server, "--version").Output(); err == nil {
		for _, word := range strings.Fields(string(out)) {
			if v, ok := strings.CutPrefix(word, "v="); ok {
				version = v
			}
		}
	}
	return "Redis publish and subscribe over a unix socket, go-redis " + redis.Version() + ", server " + version
}

// Check says whether a server is installed.
func (Transport) Check() error {
	if _, err := exec.LookPath(server); err != nil {
		return remedy.Unavailable(err, "install it (apt-get install redis-server), or name a running one with --url")
	}
	return nil
}

// Managed is true: the client is an ordinary Go program.
func (Transport) Managed() bool { return true }

// Broker starts the server.
func (t Transport) Broker(o transport.Options) (*transport.Broker, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	return transport.StartEmbedded(t, o)
}

// ServeBroker runs a server that keeps nothing on disk, on a socket in a folder
// of its own, and without the limit beyond which it would drop subscribers.
func (Transport) ServeBroker(o transport.Options) (*transport.Broker, error) {
	folder, err := os.MkdirTemp("", "worstcase-redis-")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "socket")
	b, err := transport.StartProgram(exec.Command(
		server, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", folder,
		"--client-output-buffer-limit", "pubsub 0 0 0", "--proto-max-bulk-len", fmt.Sprint(max(512<<20, o.Size)),
	), "unix", socket)
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	b.URL, b.Folder = "unix://"+socket, folder
	return b, nil
}

func connect(o transport.Options) (*redis.Client, error) {
	options, err := redis.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	options.MaxRetries = -1
	options.WriteTimeout, options.ReadTimeout = 10*time.Second, 10*time.Second
	return redis.NewClient(options), nil
}

// Publisher connects and waits for the subscriptions.
func (Transport) Publisher(o transport.Options, links []*transport.Link) (transport.Publisher, error) {
	c, err := connect(o)
	if err == nil {
		err = c.Ping(context.Background()).Err()
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", o.URL, err)
	}
	if err := transport.AwaitReady(links); err != nil {
		c.Close()
		return nil, err
	}
	return &publisher{client: c, channel: o.Topic, buffer: make([]byte, o.Size)}, nil
}

// Subscriber subscribes, and is ready when the server has said so.
func (Transport) Subscriber(o transport.Options, link *transport.Link) (transport.Subscriber, error) {
	c, err := connect(o)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", o.URL, err)
	}
	s := &subscriber{
		client: c, sub: c.Subscribe(context.Background(), o.Topic), messages: make(chan received, o.Depth), done: make(chan struct{}),
	}
	if _, err = s.sub.Receive(context.Background()); err == nil {
		go s.receive()
		err = link.Ready()
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("subscribe to %s: %w", o.Topic, err)
	}
	return s, nil
}

type publisher struct {
	client  *redis.Client
	channel string
	buffer  []byte
}

func (p *publisher) Loan() ([]byte, error) { return p.buffer, nil }

// Publish returns when the server has answered.
func (p *publisher) Publish() error {
	return p.client.Publish(context.Background(), p.channel, p.buffer).Err()
}

func (p *publisher) Drops() map[string]int64 { return nil }

// Close sends an empty message for the end.
func (p *publisher) Close() error {
	defer p.client.Close()
	return p.client.Publish(context.Background(), p.channel, "").Err()
}

// A received is what one wait for a message ended with.
type received struct {
	payload []byte
	err     error
}

type subscriber struct {
	client   *redis.Client
	sub      *redis.PubSub
	messages chan received
	done     chan struct{}
}

// receive waits without a limit, for one that passed in the midst of a message
// would lose the place in the stream. It ends with the connection.
func (s *subscriber) receive() {
	for {
		got, err := s.sub.Receive(context.Background())
		m, ok := got.(*redis.Message)
		if err == nil && !ok {
			continue // an answer
		}
		r := received{err: err}
		if ok {
			r.payload = []byte(m.Payload)
		}
		select {
		case s.messages <- r:
		case <-s.done:
			return
		}
		if err != nil {
			return
		}
	}
}

func (s *subscriber) Take() ([]byte, error) {
	select {
	case r := <-s.messages:
		if r.err == nil && len(r.payload) == 0 {
			return nil, io.EOF
		}
		return r.payload, r.err
	case <-time.After(200 * time.Millisecond):
		return nil, transport.ErrTimeout
	}
}

func (s *subscriber) Release()                {}
func (s *subscriber) Drops() map[string]int64 { return nil }

func (s *subscriber) Close() error {
	close(s.done)
	return errors.Join(s.sub.Close(), s.client.Close())
}
