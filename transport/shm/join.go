package shm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// How a subscriber joins, over any connected unix socket:
//
//	subscriber: magic, version                           + its pidfd
//	publisher:  magic, version, place, sizes of the files + control, data, its pidfd, an event
//	subscriber: byteMapped, after it checked and mapped the files
//	publisher:  byteJoined; whatever it publishes from now on arrives
//	subscriber: byteLeft, when it leaves in good order
//
// A publisher that refuses sends magic, version, 2^32-1 and closes the socket.
const (
	helloBytes   = 8
	welcomeBytes = 24
	noPlace      = ^uint32(0)

	byteMapped = 'M'
	byteJoined = 'J'
	byteLeft   = 'L'

	joinSeconds = 5 // patience with a peer that says nothing
)

// Serve lets one subscriber join over the connected unix socket link, and
// returns when it has. Serve takes link over and closes it when the subscriber
// is gone, or at once when it returns an error.
func (p *Publisher) Serve(link int) error {
	if err := p.serve(link); err != nil {
		unix.Close(link)
		return fmt.Errorf("let a subscriber join: %w", err)
	}
	return nil
}

func (p *Publisher) serve(link int) error {
	hello := make([]byte, helloBytes)
	fds, err := receive(link, hello, 1)
	if err != nil {
		return err
	}
	process := fds[0]
	if err := checkHello(hello); err != nil {
		unix.Close(process)
		return err
	}
	place, ok := p.findPlace()
	if !ok {
		unix.Close(process)
		unix.Write(link, p.welcome(noPlace))
		return ErrFull
	}
	q := &p.peers[place]
	if err := p.admit(q, uint32(place), link); err != nil {
		unix.Close(process)
		if fd := q.event.Swap(-1); fd >= 0 {
			unix.Close(int(fd))
		}
		q.state.Store(placeFree)
		return err
	}
	p.watches.Add(1)
	go p.watch(q, link, process)
	return nil
}

// findPlace claims a free place.
func (p *Publisher) findPlace() (int, bool) {
	p.serving.Lock()
	defer p.serving.Unlock()
	for i := range p.peers {
		if p.peers[i].state.CompareAndSwap(placeFree, placeJoining) {
			return i, true
		}
	}
	return 0, false
}

// admit sends the descriptors and waits until the subscriber has mapped them.
func (p *Publisher) admit(q *peer, place uint32, link int) error {
	q.ring.head.Store(q.ring.tail)
	q.ring.given.Store(q.taken)
	q.ring.waiting.Store(0)
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("open own pidfd: %w", err)
	}
	defer unix.Close(self)
	fds := []int{p.fds[0], p.fds[1], self}
	if p.notifier == Eventfd {
		event, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
		if err != nil {
			return fmt.Errorf("make eventfd: %w", err)
		}
		q.event.Store(int32(event))
		fds = append(fds, event)
	}
	if err := unix.Sendmsg(link, p.welcome(place), unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL); err != nil {
		return fmt.Errorf("send descriptors: %w", err)
	}
	if err := expect(link, byteMapped); err != nil {
		return err
	}
	q.state.Store(placeJoined)
	if _, err := unix.Write(link, []byte{byteJoined}); err != nil {
		return fmt.Errorf("send go-ahead: %w", err)
	}
	return nil
}

func (p *Publisher) welcome(place uint32) []byte {
	b := make([]byte, welcomeBytes)
	binary.NativeEndian.PutUint32(b[0:], magic)
	binary.NativeEndian.PutUint32(b[4:], version)
	binary.NativeEndian.PutUint32(b[8:], place)
	binary.NativeEndian.PutUint32(b[12:], uint32(p.controlBytes()))
	binary.NativeEndian.PutUint64(b[16:], uint64(p.dataBytes()))
	return b
}

func checkHello(b []byte) error {
	if m, v := binary.NativeEndian.Uint32(b), binary.NativeEndian.Uint32(b[4:]); m != magic || v != version {
		return fmt.Errorf("peer speaks %#x version %d, not %#x version %d", m, v, magic, version)
	}
	return nil
}

// Options are a subscriber's own.
type Options struct {
	// Raw is Config.Raw, for the subscriber's waits.
	Raw bool
}

// Join joins the arena of the publisher that serves the other end of the
// connected unix socket link. It takes link over. When it returns, the
// subscriber gets all that is published from then on. It refuses memory whose
// size doesn't fit the arena's header, or isn't sealed.
func Join(link int, o Options) (*Subscriber, error) {
	s := &Subscriber{link: link, done: -1}
	s.waiter.event = -1
	process, err := s.join(o)
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("join arena: %w", err)
	}
	s.watches.Add(1)
	go s.watch(process)
	return s, nil
}

// join returns the publisher's pidfd.
func (s *Subscriber) join(o Options) (process int, err error) {
	hello := make([]byte, helloBytes)
	binary.NativeEndian.PutUint32(hello[0:], magic)
	binary.NativeEndian.PutUint32(hello[4:], version)
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return -1, fmt.Errorf("open own pidfd: %w", err)
	}
	err = unix.Sendmsg(s.link, hello, unix.UnixRights(self), nil, unix.MSG_NOSIGNAL)
	unix.Close(self)
	if err != nil {
		return -1, fmt.Errorf("send hello: %w", err)
	}
	welcome := make([]byte, welcomeBytes)
	fds, err := receive(s.link, welcome, -1)
	if err != nil {
		return -1, err
	}
	// The memory stays mapped without its descriptors; the pidfd and the event live on.
	keep := 0
	defer func() {
		for _, fd := range fds[keep:] {
			unix.Close(fd)
		}
	}()
	if err := checkHello(welcome); err != nil {
		return -1, err
	}
	place := binary.NativeEndian.Uint32(welcome[8:])
	if place == noPlace {
		return -1, ErrFull
	}
	if len(fds) < 3 || len(fds) > 4 {
		return -1, fmt.Errorf("%d descriptors came, not 3 or 4", len(fds))
	}
	if err := s.mapFiles(fds[0], fds[1], int(binary.NativeEndian.Uint32(welcome[12:])), place, len(fds) == 4); err != nil {
		return -1, err
	}
	s.waiter.kind, s.waiter.raw = s.notifier, o.Raw
	if s.done, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
		return -1, fmt.Errorf("make eventfd: %w", err)
	}
	if _, err := unix.Write(s.link, []byte{byteMapped}); err != nil {
		return -1, fmt.Errorf("send answer: %w", err)
	}
	if err := expect(s.link, byteJoined); err != nil {
		return -1, err
	}
	unix.Close(fds[0])
	unix.Close(fds[1])
	keep = len(fds)
	if len(fds) == 4 {
		s.waiter.event = fds[3]
	}
	return fds[2], nil
}

// mapFiles maps both files and checks that sizes, header and place agree.
func (s *Subscriber) mapFiles(control, data, controlBytes int, place uint32, event bool) (err error) {
	if controlBytes < headBytes || controlBytes > 1<<30 {
		return fmt.Errorf("a control file of %d bytes", controlBytes)
	}
	if s.control, err = sys.MapSealed(control, controlBytes, true); err != nil {
		return err
	}
	if s.layout, err = readLayout(s.control); err != nil {
		return err
	}
	if s.controlBytes() != controlBytes {
		return fmt.Errorf("the control file has %d bytes, its header wants %d", controlBytes, s.controlBytes())
	}
	if place >= uint32(s.subs) || event != (s.notifier == Eventfd) {
		return errors.New("place or event don't fit the arena's header")
	}
	mem, err := sys.MapSealed(data, int(s.dataBytes()), false)
	if err != nil {
		return err
	}
	s.table = s.layout.table(mem)
	s.ring = s.layout.ring(s.control, int(place))
	s.space = sys.SharedWord(s.control, spaceAt)
	s.hungry = sys.SharedWord(s.control, hungryAt)
	s.waiter.ring = &s.ring
	s.waiter.closed = sys.SharedWord(s.control, closedAt)
	s.waiter.gone = &s.gone
	return nil
}
