package transport

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A Link joins a publisher's process to a subscriber's, from before the
// transport's ends exist: they tell each other over it what they need to
// connect, and wait for each other. It keeps message boundaries and carries
// descriptors.
type Link struct {
	fd int
}

const (
	linkBytes   = 4096 // longest message
	linkSeconds = 8    // patience with the other end
)

// NewLinkPair makes both ends of a link, to be inherited by two processes. The
// caller closes them.
func NewLinkPair() (a, b *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make link: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "link"), os.NewFile(uintptr(fds[1]), "link"), nil
}

// OpenLink makes a link of an inherited end. It duplicates the descriptor: the
// file stays the caller's.
func OpenLink(f *os.File) (*Link, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("duplicate link: %w", err)
	}
	// The other end may be slow to start, but is not waited for forever.
	tv := unix.Timeval{Sec: linkSeconds}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("set timeout of link: %w", err)
	}
	return &Link{fd}, nil
}

// Send sends v as JSON, and descriptors with it.
func (l *Link) Send(v any, fds ...int) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("send on link: %w", err)
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	if err := unix.Sendmsg(l.fd, b, rights, nil, unix.MSG_NOSIGNAL); err != nil {
		return fmt.Errorf("send on link: %w", err)
	}
	return nil
}

// Receive decodes one message into v and returns the descriptors that came
// with it: as many as wanted, or an error.
func (l *Link) Receive(v any, want int) ([]int, error) {
	b, oob := make([]byte, linkBytes), make([]byte, unix.CmsgSpace(4*4))
	n, nOOB, _, _, err := unix.Recvmsg(l.fd, b, oob, unix.MSG_CMSG_CLOEXEC)
	for err == unix.EINTR {
		n, nOOB, _, _, err = unix.Recvmsg(l.fd, b, oob, unix.MSG_CMSG_CLOEXEC)
	}
	switch {
	case err == unix.EAGAIN:
		return nil, fmt.Errorf("the other process did not answer within %d seconds", linkSeconds)
	case err != nil:
		return nil, fmt.Errorf("receive on link: %w", err)
	case n == 0:
		return nil, errors.New("the other process closed its link")
	}
	fds, err := sys.Rights(oob[:nOOB])
	if err == nil && len(fds) != want {
		err = fmt.Errorf("%d descriptors came over the link, not %d", len(fds), want)
	}
	if err == nil {
		err = json.Unmarshal(b[:n], v)
	}
	if err != nil {
		for _, fd := range fds {
			unix.Close(fd)
		}
		return nil, fmt.Errorf("receive on link: %w", err)
	}
	return fds, nil
}

// Detach hands the link's socket over to the caller.
func (l *Link) Detach() int {
	fd := l.fd
	l.fd = -1
	return fd
}

// Close closes this end.
func (l *Link) Close() error {
	if l.fd < 0 {
		return nil
	}
	return unix.Close(l.Detach())
}

// Ready tells the publisher that this subscriber would get its messages, and
// waits until it knows.
func (l *Link) Ready() error {
	if err := l.Send(struct{}{}); err != nil {
		return err
	}
	var known struct{}
	_, err := l.Receive(&known, 0)
	return err
}

// AwaitReady waits until each subscriber has said that it is ready. Brokers need
// it: what is sent before a subscription is known there is lost, and would be
// counted as the transport's loss.
func AwaitReady(links []*Link) error {
	for _, l := range links {
		var ready struct{}
		if _, err := l.Receive(&ready, 0); err != nil {
			return err
		}
		if err := l.Send(struct{}{}); err != nil {
			return err
		}
	}
	return nil
}
