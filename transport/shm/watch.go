package shm

import (
	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// watch waits until the subscriber of q leaves or dies, tells the publisher's
// goroutine by the state of the place, and wakes it in case it waits for that
// very subscriber. Whichever comes first counts: the process ends (pidfd), or
// the last descriptor of its socket is closed.
func (p *Publisher) watch(q *peer, link, process int) {
	defer p.watches.Done()
	defer unix.Close(process)
	defer unix.Close(link)
	if !waitEnd(link, process, p.done) {
		return
	}
	state := uint32(placeDied)
	if farewell(link) {
		state = placeLeft
	}
	q.state.Store(state)
	p.departures.Add(1)
	p.space.Add(1)
	sys.WakeWord(p.space, 1)
}

// watch waits until the publisher's process or socket ends, and wakes the
// subscriber if it sleeps.
func (s *Subscriber) watch(process int) {
	defer s.watches.Done()
	defer unix.Close(process)
	if !waitEnd(s.link, process, s.done) {
		return
	}
	if s.waiter.closed.Load() == 0 {
		s.died.Store(true)
	}
	s.gone.Store(1)
	s.ring.bell.Add(1)
	sys.WakeWord(s.ring.bell, 1)
	if s.waiter.event >= 0 {
		signal(s.waiter.event)
	}
}

// waitEnd waits for the end of a peer and returns true, or false when done is
// signalled first.
func waitEnd(link, process, done int) bool {
	fds := []unix.PollFd{
		{Fd: int32(link), Events: unix.POLLIN},
		{Fd: int32(process), Events: unix.POLLIN},
		{Fd: int32(done), Events: unix.POLLIN},
	}
	for {
		if _, err := unix.Poll(fds, -1); err != nil && err != unix.EINTR {
			return true
		}
		if fds[2].Revents != 0 {
			return false
		}
		if fds[0].Revents|fds[1].Revents != 0 {
			return true
		}
	}
}

// farewell reports whether the peer said that it leaves.
func farewell(link int) bool {
	b := []byte{0}
	n, _, err := unix.Recvfrom(link, b, unix.MSG_DONTWAIT)
	return err == nil && n == 1 && b[0] == byteLeft
}
