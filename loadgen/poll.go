package loadgen

import (
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

func pollKind() Kind {
	return Kind{
		Name:     "poll",
		Stresses: "poll and epoll: each over 64 event descriptors that another process writes to",
		Counter:  "tracepoint raw_syscalls/sys_enter",
		Parts: []Part{
			{Name: "poll", Unit: "event/s", start: startPoll},
			{Name: "epoll", Unit: "event/s", start: startEpoll},
		},
	}
}

// polled is the number of descriptors of each part.
const polled = 64

// events makes the descriptors, and a process that writes to one after another.
func (w *worker) events(lane *uint32) ([]int, error) {
	one, err := memory(8, false)
	if err != nil {
		return nil, err
	}
	sys.Words(one)[0] = 1 // wherever the other four bytes count, any value wakes
	fds, writes := make([]int, polled), make([]sys.Call, polled)
	for i := range fds {
		if fds[i], err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
			return nil, fmt.Errorf("make an event descriptor: %w", err)
		}
		writes[i] = sys.Call{Number: unix.SYS_WRITE, Args: [6]uintptr{uintptr(fds[i]), sys.Address(one), 8}}
	}
	_, err = w.loop(lane, writes...)
	return fds, err
}

func startPoll(w *worker, lanes []*uint32) error {
	fds, err := w.events(lanes[0])
	if err != nil {
		return err
	}
	set := make([]unix.PollFd, polled)
	for i, fd := range fds {
		set[i] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	}
	buffer := make([]byte, 8)
	return w.thread(lanes[0], func() int {
		n, _ := unix.Poll(set, 100)
		for _, p := range set {
			if p.Revents != 0 {
				unix.Read(int(p.Fd), buffer)
			}
		}
		return max(n, 0)
	})
}

func startEpoll(w *worker, lanes []*uint32) error {
	fds, err := w.events(lanes[0])
	if err != nil {
		return err
	}
	ep, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return fmt.Errorf("make an epoll descriptor: %w", err)
	}
	for _, fd := range fds {
		if err := unix.EpollCtl(ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}); err != nil {
			return fmt.Errorf("watch an event descriptor: %w", err)
		}
	}
	ready, buffer := make([]unix.EpollEvent, polled), make([]byte, 8)
	return w.thread(lanes[0], func() int {
		n, _ := unix.EpollWait(ep, ready, 100)
		for _, e := range ready[:max(n, 0)] {
			unix.Read(int(e.Fd), buffer)
		}
		return max(n, 0)
	})
}
