package switchbench

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// The memory that all threads share: a part with the stop word, then one for each
// link, so small that a process meets few pages after an address-space switch.
// Words have 32 bits, as the rings' have.
const (
	part = 1024 // bytes

	wordStop = 0

	wordSequence = 0  // pulses so far
	wordLocks    = 16 // two PI locks, a cache line each
	wordReceiver = 48 // process and thread of the waiter, for signals
	wordEnded    = 64 // the waker will send no more
	wordBell     = 80 // what a futex waits on
	valueSlots   = 64
	slots        = 16 // of {due, stamp}
)

// A hub is what the parent makes and the threads meet in: memory, and what the
// kernel needs for each link.
type hub struct {
	memory []byte
	files  []*os.File
	// descriptors of one link
	each int
	// semaphores is a System V set with one for each link, -1 without.
	semaphores int
	rings      []sys.UringParams
}

// newHub makes n links of a mechanism. A refusal names the limit.
func newHub(m Mechanism, n int) (*hub, error) {
	fd, memory, err := sys.NewSealed("worstcase-switch", (1+n)*part, false)
	if err != nil {
		return nil, err
	}
	h := &hub{memory: memory, semaphores: -1, files: []*os.File{os.NewFile(uintptr(fd), "switch memory")}}
	if m == Semaphore {
		h.semaphores, err = newSemaphores(n)
	}
	for i := 0; i < n && err == nil; i++ {
		var fds []int
		fds, err = h.open(m, i)
		for _, fd := range fds {
			h.files = append(h.files, os.NewFile(uintptr(fd), string(m)))
		}
		h.each = len(fds)
	}
	if err == nil && m == IOUring {
		err = h.tryRings()
	}
	if err != nil {
		h.close()
		return nil, explain(m, err)
	}
	return h, nil
}

// open makes the descriptors of one link: the waiter's first, the waker's last.
func (h *hub) open(m Mechanism, i int) ([]int, error) {
	switch m {
	case Eventfd:
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
		return []int{fd}, err
	case Pipe:
		fds := make([]int, 2)
		return fds, unix.Pipe2(fds, unix.O_CLOEXEC)
	case Socketpair, Seqpacket:
		kind := unix.SOCK_STREAM
		if m == Seqpacket {
			kind = unix.SOCK_SEQPACKET
		}
		fds, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
		return fds[:], err
	case MQueue:
		fd, err := sys.NewQueue(fmt.Sprintf("worstcase-switch-%d-%d", os.Getpid(), i), queueDepth, messageSize)
		return []int{fd}, err
	case IOUring:
		return h.openRings()
	}
	return nil, nil
}

// What pmqtest uses, and what fs.mqueue.msg_max allows by default.
const (
	queueDepth  = 10
	messageSize = 8
)

func (h *hub) openRings() ([]int, error) {
	var fds []int
	for range 2 {
		var p sys.UringParams
		fd, err := sys.NewUring(&p)
		if err != nil {
			return fds, err
		}
		fds = append(fds, fd)
		h.rings = append(h.rings, p)
	}
	return fds, nil
}

// tryRings sends a message over the first link, which kernels before 5.18 refuse
// with nothing but a completion.
func (h *hub) tryRings() error {
	waiter, err := sys.MapUring(int(h.files[1].Fd()), &h.rings[0])
	if err != nil {
		return err
	}
	defer waiter.Close()
	waker, err := sys.MapUring(int(h.files[2].Fd()), &h.rings[1])
	if err != nil {
		return err
	}
	defer waker.Close()
	if errno := waker.Message(int(h.files[1].Fd())); errno != 0 {
		return errno
	}
	if waiter.Pending() == 0 {
		return unix.EINVAL
	}
	if errno := waiter.Await(); errno != 0 {
		return errno
	}
	return nil
}

// stop tells the first thread to end; it passes that on.
func (h *hub) stop() { atomic.StoreUint32(&sys.Words(h.memory)[wordStop], 1) }

// sent is the number of the last pulse of the first link, and when it was due,
// which is only known for certain when the waker has ended.
func (h *hub) sent() (round uint32, due int64) {
	first := h.memory[part : 2*part]
	round = atomic.LoadUint32(&sys.Words(first)[wordSequence])
	return round, sys.Values(first)[valueSlots+2*(round%slots)]
}

func (h *hub) close() error {
	var err error
	for _, f := range h.files {
		err = errors.Join(err, f.Close())
	}
	if h.semaphores >= 0 {
		err = errors.Join(err, sys.RemoveSemaphores(h.semaphores))
	}
	return errors.Join(err, unix.Munmap(h.memory))
}
