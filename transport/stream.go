package transport

import (
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A streamPublisher writes frames to one blocking descriptor per subscriber:
// unix stream, TCP, pipe.
type streamPublisher struct {
	fds    []int
	buffer []byte
	raw    bool
}

func newStreamPublisher(o Options, fds []int) *streamPublisher {
	return &streamPublisher{fds: fds, buffer: make([]byte, o.Size), raw: o.Raw}
}

func (p *streamPublisher) Loan() ([]byte, error) { return p.buffer, nil }

func (p *streamPublisher) Publish() error {
	for _, fd := range p.fds {
		if err := writeAll(fd, p.buffer, p.raw); err != nil {
			return err
		}
	}
	return nil
}

func (p *streamPublisher) Drops() map[string]int64 { return nil }

func (p *streamPublisher) Close() error { return closeAll(p.fds) }

// A streamSubscriber reads frames, all of one size, from a blocking descriptor.
type streamSubscriber struct {
	fd     int
	buffer []byte
	raw    bool
}

func newStreamSubscriber(o Options, fd int) *streamSubscriber {
	return &streamSubscriber{fd: fd, buffer: make([]byte, o.Size), raw: o.Raw}
}

func (s *streamSubscriber) Take() ([]byte, error) {
	for got := 0; got < len(s.buffer); {
		n, errno := sys.Read(s.fd, s.buffer[got:], s.raw)
		switch {
		case errno == unix.EINTR:
		case errno == unix.EAGAIN && got == 0:
			return nil, ErrTimeout
		case errno == unix.EAGAIN:
		case errno != 0:
			return nil, fmt.Errorf("read message: %w", errno)
		case n == 0:
			return nil, io.EOF
		default:
			got += n
		}
	}
	return s.buffer, nil
}

func (s *streamSubscriber) Release()                {}
func (s *streamSubscriber) Drops() map[string]int64 { return nil }
func (s *streamSubscriber) Close() error            { return unix.Close(s.fd) }

// writeAll writes b to a blocking descriptor.
func writeAll(fd int, b []byte, raw bool) error {
	for len(b) > 0 {
		n, errno := sys.Write(fd, b, raw)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 {
			return fmt.Errorf("write message: %w", errno)
		}
		b = b[n:]
	}
	return nil
}

func closeAll(fds []int) error {
	var first error
	for _, fd := range fds {
		if err := unix.Close(fd); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// setTimeout makes reads of a socket return EAGAIN after half a second without
// data, so that the reader can see that it shall stop.
func setTimeout(fd int) error {
	tv := unix.Timeval{Usec: 500_000}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err != nil {
		return fmt.Errorf("set timeout of socket: %w", err)
	}
	return nil
}

// setBuffers asks for socket buffers that hold depth messages, at most 64 MiB,
// with what the kernel counts for the memory around them.
// The forced options need CAP_NET_ADMIN; without it net.core.wmem_max and
// rmem_max are the limit.
func setBuffers(fd int, o Options) {
	n := min(o.Depth*(2*o.Size+2048), 64<<20)
	for _, opt := range [][2]int{{unix.SO_SNDBUFFORCE, unix.SO_SNDBUF}, {unix.SO_RCVBUFFORCE, unix.SO_RCVBUF}} {
		if have, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, opt[1]); err == nil && have >= n {
			continue
		}
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, opt[0], n) != nil {
			unix.SetsockoptInt(fd, unix.SOL_SOCKET, opt[1], n)
		}
	}
}
