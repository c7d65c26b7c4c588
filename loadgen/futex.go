package loadgen

import (
	"os"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// Futex operations, from include/uapi/linux/futex.h.
const (
	futexWait = 0
	futexWake = 1
)

func futexKind() Kind {
	const herd = 8
	return Kind{
		Name:     "futex",
		Stresses: "futexes: a herd of eight that waits on one word, and one that wakes them all",
		Counter:  "/proc/stat ctxt",
		Parts: []Part{{
			Unit:  "wakeup/s",
			Lanes: func(int) int { return herd + 1 },
			start: startHerd,
		}},
	}
}

// startHerd counts the wake-ups of the waiters. The word stays 0: a wake-up is
// all that ends a wait.
func startHerd(w *worker, lanes []*uint32) error {
	page, err := memory(os.Getpagesize(), true)
	if err != nil {
		return err
	}
	word := sys.Address(page)
	waiters, waker := lanes[:len(lanes)-1], lanes[len(lanes)-1]
	for _, lane := range waiters {
		if _, err := w.loop(lane, sys.Call{Number: unix.SYS_FUTEX, Args: [6]uintptr{word, futexWait}, Counts: true}); err != nil {
			return err
		}
	}
	everyone := uintptr(1<<31 - 1)
	_, err = w.loop(waker, sys.Call{Number: unix.SYS_FUTEX, Args: [6]uintptr{word, futexWake, everyone}})
	return err
}
