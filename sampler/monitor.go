package sampler

import (
	"bytes"
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// tick is how often the monitor looks around, in ms; silent is after how many
// ticks without a heartbeat it gives the parent up: two seconds.
const (
	tick   = 250
	silent = 8
)

// A monitor is the ordinary thread of a child: it watches the parent and reads
// the counters of the measuring threads. It allocates nothing after it was
// made, since nothing is collected.
type monitor struct {
	shared  *shared
	parent  int
	control int
	done    int
	probes  []*probe
	raw     bool // nothing is collected: the monitor may keep its P while it sleeps
	state   int  // descriptor of the parent's stat file, or -1
	beat    uint32
	quiet   int // ticks since the last heartbeat
	buffer  [4096]byte
}

func newMonitor(s *shared, parent, control, done int, probes []*probe, raw bool) *monitor {
	m := &monitor{shared: s, parent: parent, control: control, done: done, probes: probes, raw: raw}
	state, err := unix.Open(fmt.Sprintf("/proc/%d/stat", parent), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		state = -1
	}
	m.state = state
	return m
}

// run returns when all threads have written to the done pipe. It exits the
// process when the parent is gone.
func (m *monitor) run() {
	ended, ticks, measured := 0, 0, false
	for ended < m.shared.threads {
		fds := [2]unix.PollFd{{Fd: int32(m.control), Events: unix.POLLIN}, {Fd: int32(m.done), Events: unix.POLLIN}}
		timeout := m.timeout(measured)
		n := sys.Poll(fds[:], timeout, m.raw)
		if fds[0].Revents != 0 && m.controlEnded() || os.Getppid() != m.parent {
			os.Exit(1)
		}
		if fds[1].Revents != 0 {
			if n, err := unix.Read(m.done, m.buffer[:]); err == nil {
				ended += n
			}
		}
		if !measured && m.measuring() {
			measured = true
			for _, p := range m.probes {
				p.baseline()
			}
		}
		if n != 0 || timeout < tick {
			continue
		}
		if ticks++; ticks%4 == 0 && measured {
			for _, p := range m.probes {
				if !p.publish() {
					atomic.StoreUint32(&m.shared.words[wordStop], 1)
				}
			}
		}
		if m.forsaken() {
			os.Exit(1)
		}
	}
}

// forsaken tells, asked once a tick, whether the parent has given no heartbeat
// for too long. While it is stopped no time passes for it.
func (m *monitor) forsaken() bool {
	now := atomic.LoadUint32(&m.shared.words[wordBeat])
	if now != m.beat || atomic.LoadUint32(&m.shared.words[wordGo]) == 0 || m.parentStopped() {
		m.beat, m.quiet = now, 0
	} else {
		m.quiet++
	}
	return m.quiet > silent
}

// timeout is a tick, or less when the measured time begins before that.
func (m *monitor) timeout(measured bool) int {
	if !measured && atomic.LoadUint32(&m.shared.words[wordGo]) != 0 {
		left := (m.shared.values[valueMeasured]-sys.Nanotime())/1e6 + 1
		return int(max(1, min(tick, left)))
	}
	return tick
}

func (m *monitor) measuring() bool {
	return atomic.LoadUint32(&m.shared.words[wordGo]) != 0 && sys.Nanotime() >= m.shared.values[valueMeasured]
}

// controlEnded tells whether the control pipe is at its end; bytes are ignored.
func (m *monitor) controlEnded() bool {
	n, err := unix.Read(m.control, m.buffer[:])
	return n == 0 || err != nil && err != unix.EINTR && err != unix.EAGAIN
}

// parentStopped tells whether the parent is in state T or t: proc(5), the field
// after the command's closing parenthesis.
func (m *monitor) parentStopped() bool {
	n, err := unix.Pread(m.state, m.buffer[:], 0)
	if err != nil {
		return false
	}
	at := bytes.LastIndexByte(m.buffer[:n], ')')
	return at >= 0 && at+2 < n && (m.buffer[at+2] == 'T' || m.buffer[at+2] == 't')
}
