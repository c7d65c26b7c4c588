package loadgen

import (
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

func netKind() Kind {
	return Kind{
		Name:     "net",
		Stresses: "the network: a TCP and a UDP flood on the loopback interface",
		Needs:    "the loopback interface up",
		Counter:  "/proc/softirqs NET_RX",
		Parts:    floods(onLoopback),
	}
}

const (
	tcpBlock = 16 << 10
	// udpSize is the payload of a full Ethernet frame, in bytes.
	udpSize = 1472
)

// A path is what a flood goes over: the receiver's address, and what puts the
// calling thread to where the ends' sockets are made.
type path struct {
	to            [4]byte
	send, receive func() error
}

// loopback is the path within the worker's own network.
var loopback = path{
	to:   [4]byte{127, 0, 0, 1},
	send: func() error { return nil }, receive: func() error { return nil },
}

// A flood sends over a path as much as it takes, and counts in lane what arrives.
type flood func(w *worker, lane *uint32, p path) error

// floods are the parts that start each flood in the same place.
func floods(start func(flood) func(*worker, []*uint32) error) []Part {
	return []Part{
		{Name: "tcp", Unit: "MB/s", Scale: tcpBlock / 1e6, start: start(floodTCP)},
		{Name: "udp", Unit: "packet/s", start: start(floodUDP)},
	}
}

// onLoopback starts a flood over the loopback interface.
func onLoopback(f flood) func(*worker, []*uint32) error {
	return func(w *worker, lanes []*uint32) error { return f(w, lanes[0], loopback) }
}

// floodTCP floods a connection. What has arrived is counted, in whole blocks.
func floodTCP(w *worker, lane *uint32, p path) error {
	listener, addr, err := p.bound(unix.SOCK_STREAM)
	if err != nil {
		return err
	}
	if err := unix.Listen(listener, 1); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	sender, err := p.connected(unix.SOCK_STREAM, addr)
	if err != nil {
		return err
	}
	receiver, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	return w.flood(sender, receiver, tcpBlock, unix.MSG_WAITALL, lane)
}

// floodUDP floods a socket. What has arrived is counted; the rest was dropped.
func floodUDP(w *worker, lane *uint32, p path) error {
	receiver, addr, err := p.bound(unix.SOCK_DGRAM)
	if err != nil {
		return err
	}
	sender, err := p.connected(unix.SOCK_DGRAM, addr)
	if err != nil {
		return err
	}
	return w.flood(sender, receiver, udpSize, 0, lane)
}

// flood starts a process that sends blocks and one that receives them.
func (w *worker) flood(sender, receiver, size int, flags uintptr, lane *uint32) error {
	block, err := memory(size, false)
	if err != nil {
		return err
	}
	at := sys.Address(block)
	receive := sys.Call{Number: unix.SYS_RECVFROM, Args: [6]uintptr{uintptr(receiver), at, uintptr(size), flags}, Counts: true}
	if _, err := w.loop(lane, receive); err != nil {
		return err
	}
	send := sys.Call{Number: unix.SYS_SENDTO, Args: [6]uintptr{uintptr(sender), at, uintptr(size)}}
	_, err = w.loop(lane, send)
	return err
}

// bound makes a socket with a port of its own at the receiver's end.
func (p path) bound(sort int) (int, unix.Sockaddr, error) {
	if err := p.receive(); err != nil {
		return -1, nil, fmt.Errorf("enter the receiver's network: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, sort|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, nil, fmt.Errorf("make a socket: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: p.to}); err != nil {
		return -1, nil, fmt.Errorf("bind to an address: %w", err)
	}
	addr, err := unix.Getsockname(fd)
	if err != nil {
		return -1, nil, fmt.Errorf("read a socket's name: %w", err)
	}
	return fd, addr, nil
}

func (p path) connected(sort int, to unix.Sockaddr) (int, error) {
	if err := p.send(); err != nil {
		return -1, fmt.Errorf("enter the sender's network: %w", err)
	}
	fd, err := unix.Socket(unix.AF_INET, sort|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("make a socket: %w", err)
	}
	if err := unix.Connect(fd, to); err != nil {
		return -1, fmt.Errorf("connect: %w", err)
	}
	return fd, nil
}
