package loadgen

import (
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

func timerKind() Kind {
	return Kind{
		Name:     "timer",
		Stresses: "high resolution timers: 64 POSIX timers, each of which sends a signal every half millisecond",
		Counter:  "/proc/interrupts LOC",
		Parts: []Part{{
			Unit: "expiry/s",
			start: func(w *worker, lanes []*uint32) error {
				return w.open(lanes[0], openTimers)
			},
		}},
	}
}

// openTimers arms the timers for the calling thread, their phases spread evenly
// so that few share an interrupt. The step waits for one of them and returns how
// many expiries its signal stands for.
func openTimers() (func() int, error) {
	const (
		timers = 64
		period = 500_000 // ns
	)
	if err := sys.BlockSignals(); err != nil {
		return nil, fmt.Errorf("block signals: %w", err)
	}
	start := sys.Nanotime() + period
	for i := range int64(timers) {
		if _, err := sys.OpenPOSIXTimer(unix.Gettid(), start+i*period/timers, period); err != nil {
			return nil, fmt.Errorf("make a timer: %w", err)
		}
	}
	set := sys.SignalSet(sys.TimerSignal)
	return func() int { return int(sys.WaitSignal(set)) }, nil
}
