package transport

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// tcp is a TCP connection over the loopback interface for each subscriber.
type tcp struct{ direct }

func (tcp) Name() string     { return "tcp" }
func (tcp) Describe() string { return "TCP over loopback, no delay, blocking" }

// An endpoint is what a publisher tells its subscriber: where to connect.
type endpoint struct {
	Port int `json:"port"`
}

func (t tcp) Publisher(o Options, links []*Link) (Publisher, error) {
	if err := onlyReliable(t.Name(), o); err != nil {
		return nil, err
	}
	listener, port, err := listenLoopback(unix.SOCK_STREAM)
	if err != nil {
		return nil, err
	}
	defer unix.Close(listener)
	var fds []int
	for _, link := range links {
		fd, err := acceptTCP(listener, port, link)
		if err != nil {
			closeAll(fds)
			return nil, err
		}
		fds = append(fds, fd)
	}
	return newStreamPublisher(o, fds), nil
}

// acceptTCP tells the subscriber the port and takes its connection.
func acceptTCP(listener, port int, link *Link) (int, error) {
	if err := link.Send(endpoint{port}); err != nil {
		return -1, err
	}
	var connected struct{}
	if _, err := link.Receive(&connected, 0); err != nil {
		return -1, err
	}
	fd, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("accept connection: %w", err)
	}
	return fd, tuneTCP(fd)
}

func (tcp) Subscriber(o Options, link *Link) (Subscriber, error) {
	var e endpoint
	if _, err := link.Receive(&e, 0); err != nil {
		return nil, err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("make socket: %w", err)
	}
	err = unix.Connect(fd, &unix.SockaddrInet4{Port: e.Port, Addr: [4]byte{127, 0, 0, 1}})
	if err != nil {
		err = fmt.Errorf("connect to 127.0.0.1:%d: %w", e.Port, err)
	}
	if err == nil {
		err = tuneTCP(fd)
	}
	if err == nil {
		err = setTimeout(fd)
	}
	if err == nil {
		err = link.Send(struct{}{})
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return newStreamSubscriber(o, fd), nil
}

func tuneTCP(fd int) error {
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1); err != nil {
		return fmt.Errorf("set TCP_NODELAY: %w", err)
	}
	return nil
}

// listenLoopback makes a socket on a free port of 127.0.0.1; one of type stream
// listens.
func listenLoopback(kind int) (fd, port int, err error) {
	fd, err = unix.Socket(unix.AF_INET, kind|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, 0, fmt.Errorf("make socket: %w", err)
	}
	err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	if err == nil && kind == unix.SOCK_STREAM {
		err = unix.Listen(fd, 64)
	}
	if err != nil {
		unix.Close(fd)
		return -1, 0, fmt.Errorf("bind to 127.0.0.1: %w", err)
	}
	port, err = portOf(fd)
	if err != nil {
		unix.Close(fd)
		return -1, 0, err
	}
	return fd, port, nil
}

func portOf(fd int) (int, error) {
	a, err := unix.Getsockname(fd)
	if err != nil {
		return 0, fmt.Errorf("read port of socket: %w", err)
	}
	in, ok := a.(*unix.SockaddrInet4)
	if !ok {
		return 0, fmt.Errorf("read port of socket: it has another family")
	}
	return in.Port, nil
}
