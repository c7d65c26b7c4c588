package transport

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// udp carries messages in datagrams over the loopback interface, in fragments
// where they are longer than one. It is best effort by nature: a receiver whose
// buffer is full loses datagrams, and a message that misses one is lost whole.
type udp struct{ direct }

func (udp) Name() string     { return "udp" }
func (udp) Describe() string { return "UDP over loopback, fragments of 60,000 bytes, may lose" }

const (
	fragmentBytes = 60_000
	fragmentHead  = 8 // message number, fragment number
	fragmentEnd   = ^uint32(0)
)

func (udp) Publisher(o Options, links []*Link) (Publisher, error) {
	p := &udpPublisher{buffer: make([]byte, o.Size), raw: o.Raw}
	for _, link := range links {
		fd, err := offerUDP(o, link)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.fds = append(p.fds, fd)
	}
	return p, nil
}

// offerUDP connects a socket to the one that the subscriber made.
func offerUDP(o Options, link *Link) (int, error) {
	fd, port, err := listenLoopback(unix.SOCK_DGRAM)
	if err != nil {
		return -1, err
	}
	setBuffers(fd, o)
	var peer endpoint
	if err = link.Send(endpoint{port}); err == nil {
		_, err = link.Receive(&peer, 0)
	}
	if err == nil {
		err = unix.Connect(fd, &unix.SockaddrInet4{Port: peer.Port, Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("connect datagram socket: %w", err)
	}
	return fd, nil
}

func (udp) Subscriber(o Options, link *Link) (Subscriber, error) {
	var peer endpoint
	if _, err := link.Receive(&peer, 0); err != nil {
		return nil, err
	}
	fd, port, err := listenLoopback(unix.SOCK_DGRAM)
	if err != nil {
		return nil, err
	}
	setBuffers(fd, o)
	err = unix.Connect(fd, &unix.SockaddrInet4{Port: peer.Port, Addr: [4]byte{127, 0, 0, 1}})
	if err == nil {
		err = setTimeout(fd)
	}
	if err == nil {
		err = link.Send(endpoint{port})
	}
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("connect datagram socket: %w", err)
	}
	return &udpSubscriber{fd: fd, buffer: make([]byte, o.Size), raw: o.Raw}, nil
}

type udpPublisher struct {
	fds     []int
	buffer  []byte
	raw     bool
	head    [fragmentHead]byte
	message uint32
	refused atomic.Int64
}

func (p *udpPublisher) Loan() ([]byte, error) { return p.buffer, nil }

func (p *udpPublisher) Publish() error {
	p.message++
	for _, fd := range p.fds {
		fragment := uint32(0)
		for b := p.buffer; len(b) > 0; fragment++ {
			n := min(len(b), fragmentBytes)
			if errno := p.send(fd, fragment, b[:n]); errno != 0 {
				return fmt.Errorf("send datagram: %w", errno)
			}
			b = b[n:]
		}
	}
	return nil
}

// send sends one fragment. ECONNREFUSED speaks of an earlier one.
func (p *udpPublisher) send(fd int, fragment uint32, b []byte) unix.Errno {
	binary.LittleEndian.PutUint32(p.head[0:], p.message)
	binary.LittleEndian.PutUint32(p.head[4:], fragment)
	for {
		switch _, errno := sys.Writev(fd, p.head[:], b, p.raw); errno {
		case unix.EINTR:
		case unix.ECONNREFUSED:
			p.refused.Add(1)
			return 0
		default:
			return errno
		}
	}
}

func (p *udpPublisher) Drops() map[string]int64 {
	return map[string]int64{"refused datagrams": p.refused.Load()}
}

// Close sends the end several times, for it may be lost as all else.
func (p *udpPublisher) Close() error {
	for _, fd := range p.fds {
		for range 3 {
			p.send(fd, fragmentEnd, nil)
		}
	}
	return closeAll(p.fds)
}

type udpSubscriber struct {
	fd     int
	buffer []byte
	raw    bool
	head   [fragmentHead]byte
}

// Take reads fragments straight into their places, as long as they come in
// order. One out of order ends the message it was read into.
func (s *udpSubscriber) Take() ([]byte, error) {
	message, next, at := uint32(0), uint32(0), 0
	for {
		n, errno := sys.Readv(s.fd, s.head[:], s.buffer[at:], s.raw)
		switch {
		case errno == unix.EINTR || errno == unix.ECONNREFUSED:
			continue
		case errno == unix.EAGAIN:
			return nil, ErrTimeout
		case errno != 0:
			return nil, fmt.Errorf("read datagram: %w", errno)
		case n < fragmentHead:
			continue
		}
		n -= fragmentHead
		m, f := binary.LittleEndian.Uint32(s.head[0:]), binary.LittleEndian.Uint32(s.head[4:])
		switch {
		case f == fragmentEnd:
			return nil, io.EOF
		case f == 0:
			if at > 0 {
				copy(s.buffer, s.buffer[at:at+n])
			}
			message, next, at = m, 1, n
		case m == message && f == next:
			next++
			at += n
		default:
			message, next, at = 0, 0, 0
		}
		if next > 0 && at == len(s.buffer) {
			return s.buffer, nil
		}
	}
}

func (s *udpSubscriber) Release() {}

// Drops counts datagrams, not messages: SO_MEMINFO's SK_MEMINFO_DROPS of
// <linux/sock_diag.h>, what the kernel dropped at this socket.
func (s *udpSubscriber) Drops() map[string]int64 {
	drops, err := sys.SocketDrops(s.fd)
	if err != nil {
		return nil
	}
	return map[string]int64{"socket buffer datagrams": drops}
}

func (s *udpSubscriber) Close() error { return unix.Close(s.fd) }
