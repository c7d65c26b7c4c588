// Package grpc carries messages over a gRPC stream: the publisher serves it on
// a unix socket, each subscriber calls it.
package grpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"worstcase/transport"
)

// Transport is a server stream of gRPC whose messages are plain bytes.
type Transport struct{}

// Name is grpc.
func (Transport) Name() string { return "grpc" }

// Describe names the version.
func (Transport) Describe() string {
	return "gRPC stream of plain bytes over a unix socket, grpc-go " + grpc.Version
}

// Check always succeeds.
func (Transport) Check() error { return nil }

// Managed is true: connections are read and written in goroutines.
func (Transport) Managed() bool { return true }

// Broker is none: the publisher is the server.
func (Transport) Broker(transport.Options) (*transport.Broker, error) { return nil, nil }

const method = "/worstcase.Transport/Messages"

// plain is a codec that leaves bytes as they are. Marshal copies, for gRPC keeps
// what it returns until it is written.
type plain struct{}

func (plain) Name() string { return "plain" }

func (plain) Marshal(v any) ([]byte, error) {
	b, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("marshal %T: not plain bytes", v)
	}
	return slices.Clone(*b), nil
}

func (plain) Unmarshal(data []byte, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("unmarshal into %T: not plain bytes", v)
	}
	*b = append((*b)[:0], data...)
	return nil
}

// address is what the publisher tells its subscribers.
type address struct {
	Target string `json:"target"`
}

// Publisher serves the stream and waits until every subscriber has called it.
func (Transport) Publisher(o transport.Options, links []*transport.Link) (transport.Publisher, error) {
	if o.BestEffort {
		return nil, fmt.Errorf("grpc is reliable: its streams have no best effort")
	}
	p := &publisher{buffer: make([]byte, o.Size), done: make(chan struct{})}
	calls := make(chan grpc.ServerStream)
	listener, err := net.Listen("unix", "@"+o.Topic)
	if err != nil {
		return nil, err
	}
	p.server = grpc.NewServer(grpc.ForceServerCodec(plain{}))
	p.server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "worstcase.Transport",
		HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{{StreamName: "Messages", ServerStreams: true, Handler: func(_ any, s grpc.ServerStream) error {
			calls <- s
			<-p.done
			return nil
		}}},
	}, p)
	go p.server.Serve(listener)
	for _, link := range links {
		if err := link.Send(address{"unix-abstract:" + o.Topic}); err != nil {
			p.server.Stop()
			return nil, err
		}
		p.streams = append(p.streams, <-calls)
	}
	if err := transport.AwaitReady(links); err != nil {
		p.server.Stop()
		return nil, err
	}
	return p, nil
}

// Subscriber calls the stream.
func (Transport) Subscriber(o transport.Options, link *transport.Link) (transport.Subscriber, error) {
	var a address
	if _, err := link.Receive(&a, 0); err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(a.Target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(plain{}), grpc.MaxCallRecvMsgSize(o.Size+1024)))
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", a.Target, err)
	}
	s := &subscriber{conn: conn}
	s.stream, err = conn.NewStream(context.Background(), &grpc.StreamDesc{ServerStreams: true}, method)
	request := []byte{}
	if err == nil {
		err = s.stream.SendMsg(&request)
	}
	if err == nil {
		err = s.stream.CloseSend()
	}
	if err == nil {
		err = link.Ready()
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("call %s: %w", a.Target, err)
	}
	return s, nil
}

type publisher struct {
	server  *grpc.Server
	streams []grpc.ServerStream
	buffer  []byte
	done    chan struct{}
	end     sync.Once
}

func (p *publisher) Loan() ([]byte, error) { return p.buffer, nil }

func (p *publisher) Publish() error {
	for _, s := range p.streams {
		if err := s.SendMsg(&p.buffer); err != nil {
			return err
		}
	}
	return nil
}

func (p *publisher) Drops() map[string]int64 { return nil }

// Close ends the streams.
func (p *publisher) Close() error {
	p.end.Do(func() { close(p.done) })
	p.server.GracefulStop()
	return nil
}

type subscriber struct {
	conn   *grpc.ClientConn
	stream grpc.ClientStream
	buffer []byte
}

func (s *subscriber) Take() ([]byte, error) {
	err := s.stream.RecvMsg(&s.buffer)
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, err
	}
	return s.buffer, nil
}

func (s *subscriber) Release()                {}
func (s *subscriber) Drops() map[string]int64 { return nil }
func (s *subscriber) Close() error            { return s.conn.Close() }
