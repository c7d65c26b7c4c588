package loadgen

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

func signalKind() Kind {
	return Kind{
		Name:     "signal",
		Stresses: "signals: two processes that answer each other's",
		Counter:  "tracepoint signal/signal_generate",
		Parts:    []Part{{Unit: "signal/s", start: startSignals}},
	}
}

// startSignals plays a signal back and forth between a thread and a child, both
// of which take it by sigtimedwait.
func startSignals(w *worker, lanes []*uint32) error {
	return w.open(lanes[0], func() (func() int, error) {
		if err := sys.BlockSignals(); err != nil {
			return nil, fmt.Errorf("block signals: %w", err)
		}
		set := sys.SignalSet(sys.TimerSignal)
		wait := sys.WaitCall(set)
		signal := uintptr(sys.TimerSignal)
		answer := sys.Call{Number: unix.SYS_TGKILL, Args: [6]uintptr{uintptr(os.Getpid()), uintptr(unix.Gettid()), signal}}
		child, err := w.loop(lanes[0], wait, answer)
		if err != nil {
			return nil, err
		}
		return func() int {
			if unix.Tgkill(child, child, sys.TimerSignal) != nil {
				return 0
			}
			sys.WaitSignal(set)
			return 2
		}, nil
	})
}
