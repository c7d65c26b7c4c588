package switchbench

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// A link is one thread's end of the way from a waker to a waiter.
type link struct {
	kind     kind
	sequence *uint32
	ended    *uint32
	bell     *uint32
	slots    []int64

	wait, wake, lock, unlock sys.FutexOp

	locks     [2]*uint32
	turn      uint32 // which lock is handed over next
	holds     bool   // the waiter has it
	thread    uint32
	fd        int
	token     [messageSize]byte
	semaphore int
	set       int
	receiver  []uint32
	pid, tid  int
	signals   *unix.Sigset_t
	ring      *sys.Uring
	target    int
	rest      bool
}

// A kind is a mechanism without its name, for a switch that is quick.
type kind int

const (
	kindFutex kind = iota
	kindPI
	kindPipe
	kindEventfd
	kindQueue
	kindSemaphore
	kindSignal
	kindUring
	kindYield
)

// pulseSignal is what Signal sends, as sigwaittest does: one that doesn't queue.
const pulseSignal = unix.SIGUSR1

// A join is what a thread needs to take an end of a link.
type join struct {
	*arguments
	memory []byte
	files  []*os.File // those of all links
}

// newLink takes the waker's or the waiter's end of the i-th link, on the thread
// that will use it.
func (j *join) newLink(i int, waker bool) (*link, error) {
	own := j.memory[(1+i)*part : (2+i)*part]
	words := sys.Words(own)
	l := &link{
		sequence: &words[wordSequence],
		ended:    &words[wordEnded],
		bell:     &words[wordBell],
		slots:    sys.Values(own)[valueSlots : valueSlots+2*slots],
		locks:    [2]*uint32{&words[wordLocks], &words[wordLocks+16]},
		receiver: words[wordReceiver : wordReceiver+2],
		thread:   uint32(unix.Gettid()),
		set:      j.Semaphores, semaphore: i, rest: j.Rest,
		wait: sys.OpWait, wake: sys.OpWake, lock: sys.OpLockPI, unlock: sys.OpUnlockPI,
	}
	if j.Private {
		for _, op := range []*sys.FutexOp{&l.wait, &l.wake, &l.lock, &l.unlock} {
			*op |= sys.FutexPrivate
		}
	}
	each := len(j.files) / j.Links
	return l, l.prepare(j, j.files[i*each:(i+1)*each], i, waker)
}

// prepare sets what the link's mechanism needs.
func (l *link) prepare(j *join, files []*os.File, i int, waker bool) error {
	end := 0
	if waker {
		end = len(files) - 1
	}
	if len(files) > 0 {
		l.fd = int(files[end].Fd())
	}
	switch j.Mechanism {
	case Futex, Deadline:
		l.kind = kindFutex
	case PIFutex:
		l.kind = kindPI
		if waker {
			atomic.StoreUint32(l.locks[0], l.thread)
		}
	case Eventfd:
		l.kind = kindEventfd
		binary.NativeEndian.PutUint64(l.token[:], 1)
	case Pipe, Socketpair, Seqpacket:
		l.kind = kindPipe
		if waker { // a full pipe loses a pulse, and doesn't hold the waker up
			return unix.SetNonblock(l.fd, true)
		}
	case MQueue:
		l.kind = kindQueue
	case Semaphore:
		l.kind = kindSemaphore
	case Signal:
		l.kind, l.signals = kindSignal, sys.SignalSet(pulseSignal)
		if !waker {
			l.receiver[0], l.receiver[1] = uint32(os.Getpid()), l.thread
		}
	case IOUring:
		l.kind, l.target = kindUring, int(files[0].Fd())
		var err error
		l.ring, err = sys.MapUring(l.fd, &j.Rings[2*i+end])
		return err
	case Yield:
		l.kind = kindYield
	default:
		return fmt.Errorf("no mechanism %q", j.Mechanism)
	}
	return nil
}

// begin reads what the waiter has left for the waker, once all are ready.
func (l *link) begin() { l.pid, l.tid = int(l.receiver[0]), int(l.receiver[1]) }
