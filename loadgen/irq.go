package loadgen

import (
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

func irqKind() Kind {
	return Kind{
		Name:     "irq",
		Stresses: "interrupts as far as any machine offers them: timers every 20 us, and packets that nobody reads",
		Counter:  "/proc/interrupts LOC",
		Parts: []Part{
			{Name: "timer", Unit: "expiry/s", start: startTimerfd},
			{Name: "softirq", Unit: "packet/s", start: startPackets},
		},
	}
}

func startTimerfd(w *worker, lanes []*uint32) error {
	const period = 20_000 // ns
	fd, err := sys.OpenTimerfd(sys.Nanotime()+period, period)
	if err != nil {
		return fmt.Errorf("make a timer: %w", err)
	}
	return w.thread(lanes[0], func() int { return int(sys.WaitTimerfd(fd)) })
}

// startPackets sends small packets to a socket that is never read: the softirq
// takes each up to the full queue and drops it.
func startPackets(w *worker, lanes []*uint32) error {
	_, addr, err := loopback.bound(unix.SOCK_DGRAM)
	if err != nil {
		return err
	}
	sender, err := loopback.connected(unix.SOCK_DGRAM, addr)
	if err != nil {
		return err
	}
	block, err := memory(8, false)
	if err != nil {
		return err
	}
	_, err = w.loop(lanes[0], sys.Call{
		Number: unix.SYS_SENDTO, Args: [6]uintptr{uintptr(sender), sys.Address(block), 8}, Counts: true,
	})
	return err
}
