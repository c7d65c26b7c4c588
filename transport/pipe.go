package transport

import (
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/rtsched"
)

// pipeBytes is the capacity that pipes are given: fs.pipe-max-size by default.
const pipeBytes = 1 << 20

// pipe is an anonymous pipe for each subscriber.
type pipe struct{ direct }

func (pipe) Name() string     { return "pipe" }
func (pipe) Describe() string { return "pipe of 1 MiB, blocking" }

func (t pipe) Publisher(o Options, links []*Link) (Publisher, error) {
	if err := onlyReliable(t.Name(), o); err != nil {
		return nil, err
	}
	fds, err := offerPipes(links)
	if err != nil {
		return nil, err
	}
	return newStreamPublisher(o, fds), nil
}

func (pipe) Subscriber(o Options, link *Link) (Subscriber, error) {
	fd, err := acceptSocket(link)
	if err != nil {
		return nil, err
	}
	return newStreamSubscriber(o, fd), nil
}

// offerPipes makes a pipe for each link and gives the reading end away.
func offerPipes(links []*Link) (fds []int, err error) {
	for _, link := range links {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
			closeAll(fds)
			return nil, fmt.Errorf("make pipe: %w", err)
		}
		// Without the larger capacity it works as well, with more switches.
		unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, pipeBytes)
		fds = append(fds, ends[1])
		err := link.Send(struct{}{}, ends[0])
		unix.Close(ends[0])
		if err != nil {
			closeAll(fds)
			return nil, err
		}
	}
	return fds, nil
}

// splice is a pipe into which the publisher's pages are mapped rather than
// copied (vmsplice); the subscriber copies them out.
type splice struct{ direct }

func (splice) Name() string     { return "vmsplice" }
func (splice) Describe() string { return "vmsplice into a pipe, one copy" }

func (t splice) Publisher(o Options, links []*Link) (Publisher, error) {
	if err := onlyReliable(t.Name(), o); err != nil {
		return nil, err
	}
	fds, err := offerPipes(links)
	if err != nil {
		return nil, err
	}
	p := &splicePublisher{fds: fds, raw: o.Raw, size: o.Size}
	if err := p.mapBuffers(); err != nil {
		closeAll(fds)
		return nil, err
	}
	return p, nil
}

func (splice) Subscriber(o Options, link *Link) (Subscriber, error) {
	return pipe{}.Subscriber(o, link)
}

// A splicePublisher rotates through buffers: a page may be written again only
// when no pipe can hold it any more.
type splicePublisher struct {
	fds    []int
	memory []byte
	raw    bool
	size   int
	stride int
	next   int
	count  int
}

// mapBuffers maps so many buffers that all pipes are full before the first one
// comes round again. A pipe holds one page in each of its slots, and as many
// slots as pages fit its capacity.
func (p *splicePublisher) mapBuffers() error {
	page := unix.Getpagesize()
	slots := 0
	for _, fd := range p.fds {
		capacity, err := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			return fmt.Errorf("read capacity of pipe: %w", err)
		}
		slots = max(slots, capacity/page)
	}
	pages := (p.size + page - 1) / page
	p.stride = pages * page
	p.count = slots/pages + 2
	memory, err := unix.Mmap(-1, 0, p.count*p.stride, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return fmt.Errorf("map %d buffers of %d bytes: %w", p.count, p.stride, err)
	}
	rtsched.Touch(memory)
	p.memory = memory
	return nil
}

func (p *splicePublisher) Loan() ([]byte, error) {
	at := p.next * p.stride
	return p.memory[at : at+p.size], nil
}

func (p *splicePublisher) Publish() error {
	b, _ := p.Loan()
	for _, fd := range p.fds {
		for rest := b; len(rest) > 0; {
			n, errno := sys.Vmsplice(fd, rest, p.raw)
			if errno == unix.EINTR {
				continue
			}
			if errno != 0 {
				return fmt.Errorf("splice message: %w", errno)
			}
			rest = rest[n:]
		}
	}
	p.next = (p.next + 1) % p.count
	return nil
}

func (p *splicePublisher) Drops() map[string]int64 { return nil }

func (p *splicePublisher) Close() error {
	err := closeAll(p.fds)
	unix.Munmap(p.memory)
	return err
}
