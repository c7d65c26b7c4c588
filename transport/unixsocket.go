package transport

import (
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
)

// unixStream is a pair of connected unix stream sockets for each subscriber.
type unixStream struct{ direct }

func (unixStream) Name() string     { return "unix" }
func (unixStream) Describe() string { return "unix stream socket, blocking" }

func (t unixStream) Publisher(o Options, links []*Link) (Publisher, error) {
	if err := onlyReliable(t.Name(), o); err != nil {
		return nil, err
	}
	fds, err := offerSockets(unix.SOCK_STREAM, o, links)
	if err != nil {
		return nil, err
	}
	return newStreamPublisher(o, fds), nil
}

func (unixStream) Subscriber(o Options, link *Link) (Subscriber, error) {
	fd, err := acceptSocket(link)
	if err != nil {
		return nil, err
	}
	return newStreamSubscriber(o, fd), nil
}

// seqpacket is a pair of unix sockets that keep message boundaries.
type seqpacket struct{ direct }

func (seqpacket) Name() string     { return "seqpacket" }
func (seqpacket) Describe() string { return "unix seqpacket socket, blocking" }

func (seqpacket) Publisher(o Options, links []*Link) (Publisher, error) {
	fds, err := offerSockets(unix.SOCK_SEQPACKET, o, links)
	if err != nil {
		return nil, err
	}
	p := &packetPublisher{fds: fds, buffer: make([]byte, o.Size), raw: o.Raw, flags: unix.MSG_NOSIGNAL}
	if o.BestEffort {
		p.flags |= unix.MSG_DONTWAIT
	}
	return p, p.try()
}

// try sends a message with the number 0, which subscribers ignore: only sending
// tells whether the kernel takes packets of this size.
func (p *packetPublisher) try() error {
	for _, fd := range p.fds {
		switch _, errno := sys.Send(fd, p.buffer, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT, false); errno {
		case unix.EMSGSIZE, unix.ENOBUFS, unix.ENOMEM:
			closeAll(p.fds)
			return remedy.Unavailable(fmt.Errorf("%w: one packet of %d bytes: %w", ErrSize, len(p.buffer), errno),
				"unix has no packets, and carries any size")
		}
	}
	return nil
}

func (seqpacket) Subscriber(o Options, link *Link) (Subscriber, error) {
	fd, err := acceptSocket(link)
	if err != nil {
		return nil, err
	}
	return &packetSubscriber{fd: fd, buffer: make([]byte, o.Size), raw: o.Raw}, nil
}

// offerSockets makes a socket pair for each link and gives one end away.
func offerSockets(kind int, o Options, links []*Link) (fds []int, err error) {
	for _, link := range links {
		pair, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			closeAll(fds)
			return nil, fmt.Errorf("make socket pair: %w", err)
		}
		fds = append(fds, pair[0])
		setBuffers(pair[0], o)
		setBuffers(pair[1], o)
		if err = setTimeout(pair[1]); err == nil {
			err = link.Send(struct{}{}, pair[1])
		}
		unix.Close(pair[1])
		if err != nil {
			closeAll(fds)
			return nil, err
		}
	}
	return fds, nil
}

func acceptSocket(link *Link) (int, error) {
	var none struct{}
	fds, err := link.Receive(&none, 1)
	if err != nil {
		return -1, err
	}
	return fds[0], nil
}

// A packetPublisher sends each message as one packet.
type packetPublisher struct {
	fds     []int
	buffer  []byte
	raw     bool
	flags   int
	dropped atomic.Int64
}

func (p *packetPublisher) Loan() ([]byte, error) { return p.buffer, nil }

func (p *packetPublisher) Publish() error {
	var result error
	for _, fd := range p.fds {
		_, errno := sys.Send(fd, p.buffer, p.flags, p.raw)
		for errno == unix.EINTR {
			_, errno = sys.Send(fd, p.buffer, p.flags, p.raw)
		}
		switch errno {
		case 0:
		case unix.EAGAIN:
			p.dropped.Add(1)
			result = ErrDropped
		default:
			return fmt.Errorf("send message: %w", errno)
		}
	}
	return result
}

func (p *packetPublisher) Drops() map[string]int64 {
	return map[string]int64{"socket buffer": p.dropped.Load()}
}

func (p *packetPublisher) Close() error { return closeAll(p.fds) }

// A packetSubscriber reads each message as one packet.
type packetSubscriber struct {
	fd     int
	buffer []byte
	raw    bool
}

func (s *packetSubscriber) Take() ([]byte, error) {
	for {
		n, errno := sys.Read(s.fd, s.buffer, s.raw)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN:
			return nil, ErrTimeout
		case errno != 0:
			return nil, fmt.Errorf("read message: %w", errno)
		case n == 0:
			return nil, io.EOF
		default:
			return s.buffer[:n], nil
		}
	}
}

func (s *packetSubscriber) Release()                {}
func (s *packetSubscriber) Drops() map[string]int64 { return nil }
func (s *packetSubscriber) Close() error            { return unix.Close(s.fd) }
