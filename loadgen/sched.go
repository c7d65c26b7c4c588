package loadgen

import (
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// What hackbench of rt-tests runs in a group, which has become the common
// measure: twenty senders, each writing to all of twenty receivers.
const (
	groupSize   = 20
	messageSize = 512
)

func schedKind() Kind {
	lanes := func(int) int { return groupSize }
	return Kind{
		Name:     "sched",
		Stresses: "the scheduler: 20 senders and 20 receivers, every sender writing 512 bytes to every receiver; over sockets, and over pipes",
		Counter:  "/proc/stat ctxt",
		Parts: []Part{
			{Name: "socket", Unit: "message/s", Lanes: lanes, start: func(w *worker, lanes []*uint32) error {
				return startGroup(w, lanes, true)
			}},
			{Name: "pipe", Unit: "message/s", Lanes: lanes, start: func(w *worker, lanes []*uint32) error {
				return startGroup(w, lanes, false)
			}},
		},
	}
}

// startGroup starts a group. Messages are counted when they arrive.
func startGroup(w *worker, lanes []*uint32, sockets bool) error {
	buffer, err := memory(messageSize, false)
	if err != nil {
		return err
	}
	at := sys.Address(buffer)
	sends := make([]sys.Call, groupSize)
	for i, lane := range lanes {
		out, in, err := channel(sockets)
		if err != nil {
			return err
		}
		sends[i] = sys.Call{Number: unix.SYS_WRITE, Args: [6]uintptr{uintptr(out), at, messageSize}}
		receive := sys.Call{Number: unix.SYS_READ, Args: [6]uintptr{uintptr(in), at, messageSize}, Counts: true}
		if _, err := w.loop(lane, receive); err != nil {
			return err
		}
	}
	for range groupSize {
		if _, err := w.loop(lanes[0], sends...); err != nil {
			return err
		}
	}
	return nil
}

// channel returns the ends of a socket pair, or of a pipe.
func channel(socket bool) (out, in int, err error) {
	var fds [2]int
	if socket {
		fds, err = unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return 0, 0, fmt.Errorf("make a socket pair: %w", err)
		}
		return fds[1], fds[0], nil
	}
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		return 0, 0, fmt.Errorf("make a pipe: %w", err)
	}
	return fds[1], fds[0], nil
}
