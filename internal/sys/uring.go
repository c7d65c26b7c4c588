package sys

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Constants of <linux/io_uring.h>.
const (
	uringOpMessage   = 40     // IORING_OP_MSG_RING, Linux 5.18
	uringSkipSuccess = 1 << 6 // IOSQE_CQE_SKIP_SUCCESS, Linux 5.17
	uringGetEvents   = 1
	uringOffSQ       = 0
	uringOffCQ       = 0x8000000
	uringOffSQEs     = 0x10000000
	sqeSize, cqeSize = 64, 16
)

// UringParams is struct io_uring_params: where the parts of a ring lie, which
// whoever maps it must know.
type UringParams struct {
	SQEntries, CQEntries, Flags, CPU, Idle, Features, WQ uint32

	_  [3]uint32
	SQ [10]uint32 // head, tail, mask, entries, flags, dropped, array
	CQ [10]uint32 // head, tail, mask, entries, overflow, cqes
}

// uringEntry is struct io_uring_sqe.
type uringEntry struct {
	opcode, flags uint8
	priority      uint16
	fd            int32
	offset, addr  uint64
	length        uint32
	opFlags       uint32
	userData      uint64
	_             [24]byte
}

// NewUring makes an io_uring with a few entries and returns its descriptor,
// which may be passed to other processes. ENOSYS says that the kernel has
// none, EPERM that kernel.io_uring_disabled or a filter forbids it.
func NewUring(p *UringParams) (int, error) {
	const entries = 8
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, entries, uintptr(unsafe.Pointer(p)), 0)
	if errno != 0 {
		return -1, fmt.Errorf("set up io_uring: %w", errno)
	}
	unix.CloseOnExec(int(fd))
	return int(fd), nil
}

// A Uring is a mapped io_uring, for one thread to submit to or wait on.
type Uring struct {
	fd                     int
	sqTail, sqArray        *uint32
	sqMask                 uint32
	cqHead, cqTail         *uint32
	entries                []uringEntry
	submission, completion []byte
	requests               []byte
}

// MapUring maps the ring fd that NewUring made with p. Close unmaps it.
func MapUring(fd int, p *UringParams) (*Uring, error) {
	r := &Uring{fd: fd}
	for _, part := range []struct {
		memory *[]byte
		offset int64
		size   uint32
	}{
		{&r.submission, uringOffSQ, p.SQ[6] + 4*p.SQEntries},
		{&r.completion, uringOffCQ, p.CQ[5] + cqeSize*p.CQEntries},
		{&r.requests, uringOffSQEs, sqeSize * p.SQEntries},
	} {
		var err error
		*part.memory, err = unix.Mmap(fd, part.offset, int(part.size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("map io_uring: %w", err)
		}
	}
	sq := func(i int) *uint32 { return (*uint32)(unsafe.Pointer(&r.submission[p.SQ[i]])) }
	cq := func(i int) *uint32 { return (*uint32)(unsafe.Pointer(&r.completion[p.CQ[i]])) }
	r.sqTail, r.sqMask, r.sqArray = sq(1), *sq(2), sq(6)
	r.cqHead, r.cqTail = cq(0), cq(1)
	r.entries = unsafe.Slice((*uringEntry)(unsafe.Pointer(&r.requests[0])), p.SQEntries)
	return r, nil
}

// Message posts a completion to the ring whose descriptor is target. It is
// raw, and doesn't wait; a refusal stays in the sender's own completions.
//
//go:nosplit
func (r *Uring) Message(target int) unix.Errno {
	tail := *r.sqTail
	slot := tail & r.sqMask
	e := &r.entries[slot]
	e.opcode, e.flags, e.fd = uringOpMessage, uringSkipSuccess, int32(target)
	*(*uint32)(unsafe.Add(unsafe.Pointer(r.sqArray), 4*slot)) = slot
	atomic.StoreUint32(r.sqTail, tail+1)
	_, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), 1, 0, 0, 0, 0)
	return errno
}

// Await waits for a completion and takes it. The call is raw, see SleepUntil.
//
//go:nosplit
func (r *Uring) Await() unix.Errno {
	for *r.cqHead == atomic.LoadUint32(r.cqTail) {
		_, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), 0, 1, uringGetEvents, 0, 0)
		if errno != 0 {
			return errno
		}
	}
	atomic.StoreUint32(r.cqHead, *r.cqHead+1)
	return 0
}

// Pending is how many completions wait to be taken.
func (r *Uring) Pending() int { return int(atomic.LoadUint32(r.cqTail) - *r.cqHead) }

// Close unmaps the ring; its descriptor stays open.
func (r *Uring) Close() {
	for _, memory := range [][]byte{r.submission, r.completion, r.requests} {
		if memory != nil {
			unix.Munmap(memory)
		}
	}
}
