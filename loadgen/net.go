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
		Parts: []Part{
			{Name: "tcp", Unit: "MB/s", Scale: tcpBlock / 1e6, start: startTCP},
			{Name: "udp", Unit: "packet/s", start: startUDP},
		},
	}
}

const (
	tcpBlock = 16 << 10
	// udpSize is the payload of a full Ethernet frame, in bytes.
	udpSize = 1472
)

// startTCP floods a connection. What has arrived is counted, in whole blocks.
func startTCP(w *worker, lanes []*uint32) error {
	listener, addr, err := bound(unix.SOCK_STREAM)
	if err != nil {
		return err
	}
	if err := unix.Listen(listener, 1); err != nil {
		return fmt.Errorf("listen on loopback: %w", err)
	}
	sender, err := connected(unix.SOCK_STREAM, addr)
	if err != nil {
		return err
	}
	receiver, _, err := unix.Accept4(listener, unix.SOCK_CLOEXEC)
	if err != nil {
		return fmt.Errorf("accept on loopback: %w", err)
	}
	return w.flood(sender, receiver, tcpBlock, unix.MSG_WAITALL, lanes[0])
}

// startUDP floods a socket. What has arrived is counted; the rest was dropped.
func startUDP(w *worker, lanes []*uint32) error {
	receiver, addr, err := bound(unix.SOCK_DGRAM)
	if err != nil {
		return err
	}
	sender, err := connected(unix.SOCK_DGRAM, addr)
	if err != nil {
		return err
	}
	return w.flood(sender, receiver, udpSize, 0, lanes[0])
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

// bound makes a socket with an address of its own on the loopback interface.
func bound(sort int) (int, unix.Sockaddr, error) {
	fd, err := unix.Socket(unix.AF_INET, sort|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, nil, fmt.Errorf("make a socket: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return -1, nil, fmt.Errorf("bind to loopback: %w", err)
	}
	addr, err := unix.Getsockname(fd)
	if err != nil {
		return -1, nil, fmt.Errorf("read a socket's name: %w", err)
	}
	return fd, addr, nil
}

func connected(sort int, to unix.Sockaddr) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, sort|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("make a socket: %w", err)
	}
	if err := unix.Connect(fd, to); err != nil {
		return -1, fmt.Errorf("connect on loopback: %w", err)
	}
	return fd, nil
}
