package loadgen

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

func ipiKind() Kind {
	return Kind{
		Name:     "ipi",
		Stresses: "interrupts between CPUs: memory barriers, translations shot down, threads moved",
		Needs:    "two CPUs",
		Counter:  "/proc/interrupts CAL, TLB and RES",
		Parts: []Part{
			{Name: "spin", Unit: "round/s", Lanes: eachCPU, start: startSpin},
			{Name: "barrier", Unit: "barrier/s", start: startBarrier},
			{Name: "tlb", Unit: "shootdown/s", start: startShootdown},
			{Name: "move", Unit: "move/s", start: startMove},
		},
	}
}

// startSpin keeps a thread of the process on every CPU: one that runs there is
// what makes the other parts interrupt it.
func startSpin(w *worker, lanes []*uint32) error {
	return w.threads(lanes, func(int) func() int {
		var x arithmetic
		return x.round
	})
}

// startBarrier asks for barriers on all CPUs that run this process (membarrier(2),
// Linux 4.14).
func startBarrier(w *worker, lanes []*uint32) error {
	if err := sys.RegisterBarriers(); err != nil {
		return fmt.Errorf("register for memory barriers: %w", err)
	}
	return w.thread(lanes[0], func() int {
		return worked(sys.Barrier())
	})
}

// startShootdown takes away the right to write to a page, which every CPU that
// runs this process must learn.
func startShootdown(w *worker, lanes []*uint32) error {
	page, err := memory(os.Getpagesize(), false)
	if err != nil {
		return err
	}
	return w.thread(lanes[0], func() int {
		page[0]++
		err1 := unix.Mprotect(page, unix.PROT_READ)
		err2 := unix.Mprotect(page, unix.PROT_READ|unix.PROT_WRITE)
		return worked(errors.Join(err1, err2))
	})
}

// startMove sends its thread from CPU to CPU.
func startMove(w *worker, lanes []*uint32) error {
	at := 0
	return w.thread(lanes[0], func() int {
		at = (at + 1) % len(w.CPUs)
		return worked(pin(w.CPUs[at]))
	})
}
