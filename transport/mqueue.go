package transport

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
)

// queue is a POSIX message queue for each subscriber.
type queue struct{ direct }

func (queue) Name() string { return "mq" }

func (queue) Describe() string {
	return fmt.Sprintf("POSIX message queue, up to %d bytes (fs.mqueue.msgsize_max)", queueLimit("msgsize_max"))
}

// queueLimit reads one of the limits of mq_overview(7).
func queueLimit(name string) int {
	b, err := os.ReadFile("/proc/sys/fs/mqueue/" + name)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	return n
}

func (queue) Check() error {
	if _, err := os.Stat("/proc/sys/fs/mqueue"); err != nil {
		return errors.New("this kernel has no POSIX message queues (CONFIG_POSIX_MQUEUE)")
	}
	return nil
}

func (queue) Publisher(o Options, links []*Link) (Publisher, error) {
	p := &queuePublisher{buffer: make([]byte, o.Size), raw: o.Raw}
	depth := min(o.Depth, queueLimit("msg_max"))
	for i, link := range links {
		fd, err := sys.NewQueue(fmt.Sprintf("worstcase-%d-%s-%d", os.Getpid(), o.Topic, i), depth, o.Size)
		if err != nil {
			p.Close()
			return nil, remedy.Unavailable(fmt.Errorf("%w: %w", ErrSize, err),
				"fs.mqueue.msgsize_max (sysctl) bounds a message, RLIMIT_MSGQUEUE (ulimit -q) a queue of --depth messages")
		}
		p.fds = append(p.fds, fd)
		if err := link.Send(struct{}{}, fd); err != nil {
			p.Close()
			return nil, err
		}
		// The flag is the open queue's: only the sending end may fail, so it is set
		// through a descriptor of its own.
		if o.BestEffort {
			if p.fds[i], err = nonBlocking(fd); err != nil {
				p.Close()
				return nil, err
			}
		}
	}
	return p, nil
}

// nonBlocking opens the queue of fd once more, for sending without waiting.
func nonBlocking(fd int) (int, error) {
	again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return fd, fmt.Errorf("open message queue for best effort: %w", err)
	}
	unix.Close(fd)
	return again, nil
}

func (queue) Subscriber(o Options, link *Link) (Subscriber, error) {
	fd, err := acceptSocket(link)
	if err != nil {
		return nil, err
	}
	return &queueSubscriber{fd: fd, buffer: make([]byte, o.Size), raw: o.Raw}, nil
}

type queuePublisher struct {
	fds     []int
	buffer  []byte
	raw     bool
	dropped atomic.Int64
}

func (p *queuePublisher) Loan() ([]byte, error) { return p.buffer, nil }

func (p *queuePublisher) Publish() error {
	var result error
	for _, fd := range p.fds {
		switch errno := p.send(fd, p.buffer); errno {
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

func (p *queuePublisher) send(fd int, b []byte) unix.Errno {
	for {
		if errno := sys.QueueSend(fd, b, p.raw); errno != unix.EINTR {
			return errno
		}
	}
}

func (p *queuePublisher) Drops() map[string]int64 {
	return map[string]int64{"queue full": p.dropped.Load()}
}

// Close sends an empty message, for a queue knows no end.
func (p *queuePublisher) Close() error {
	for _, fd := range p.fds {
		unix.SetNonblock(fd, false)
		p.send(fd, nil)
	}
	return closeAll(p.fds)
}

type queueSubscriber struct {
	fd     int
	buffer []byte
	raw    bool
}

func (s *queueSubscriber) Take() ([]byte, error) {
	for {
		n, errno := sys.QueueReceive(s.fd, s.buffer, s.raw)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return nil, fmt.Errorf("receive message: %w", errno)
		case n == 0:
			return nil, io.EOF
		default:
			return s.buffer[:n], nil
		}
	}
}

func (s *queueSubscriber) Release()                {}
func (s *queueSubscriber) Drops() map[string]int64 { return nil }
func (s *queueSubscriber) Close() error            { return unix.Close(s.fd) }
