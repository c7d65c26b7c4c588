package loadgen

import (
	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

func pipeKind() Kind {
	return Kind{
		Name:     "pipe",
		Stresses: "pipes: a byte that goes back and forth, and a stream of large blocks",
		Counter:  "/proc/stat ctxt",
		Parts: []Part{
			{Name: "switch", Unit: "round/s", start: startSwitch},
			{Name: "bulk", Unit: "MB/s", Scale: pipeBlock / 1e6, start: startBulk},
		},
	}
}

// startSwitch plays a byte between two processes: two switches a round.
func startSwitch(w *worker, lanes []*uint32) error {
	out1, in1, err := channel(false)
	if err != nil {
		return err
	}
	out2, in2, err := channel(false)
	if err != nil {
		return err
	}
	block, err := memory(1, false)
	if err != nil {
		return err
	}
	at := sys.Address(block)
	call := func(number uintptr, fd int) sys.Call {
		return sys.Call{Number: number, Args: [6]uintptr{uintptr(fd), at, 1}}
	}
	read := call(unix.SYS_READ, in2)
	read.Counts = true
	if _, err := w.loop(lanes[0], call(unix.SYS_WRITE, out1), read); err != nil {
		return err
	}
	_, err = w.loop(lanes[0], call(unix.SYS_READ, in1), call(unix.SYS_WRITE, out2))
	return err
}

// pipeBlock is a pipe's default capacity, in bytes.
const pipeBlock = 64 << 10

func startBulk(w *worker, lanes []*uint32) error {
	out, in, err := channel(false)
	if err != nil {
		return err
	}
	block, err := memory(pipeBlock, false)
	if err != nil {
		return err
	}
	at := sys.Address(block)
	if _, err := w.loop(lanes[0], sys.Call{Number: unix.SYS_READ, Args: [6]uintptr{uintptr(in), at, pipeBlock}}); err != nil {
		return err
	}
	_, err = w.loop(lanes[0], sys.Call{Number: unix.SYS_WRITE, Args: [6]uintptr{uintptr(out), at, pipeBlock}, Counts: true})
	return err
}
