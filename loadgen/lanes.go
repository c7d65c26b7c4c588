package loadgen

import (
	"fmt"
	"os"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// laneBytes is a cache line, so that counters of different threads don't meet.
const laneBytes = 64

// A lane counts what one thread or child achieved. It is the first word of a
// cache line of memory that the tool and its workers share; 32 bits, because a
// 64-bit atomic isn't one between processes on 32-bit MIPS.
type lanes struct {
	file  *os.File
	bytes []byte
	words []uint32
}

// openLanes makes memory for n lanes, or maps the memory in file when it isn't nil.
func openLanes(file *os.File, n int) (*lanes, error) {
	size := max(n, 1) * laneBytes
	if file == nil {
		fd, err := unix.MemfdCreate("worstcase-load", unix.MFD_CLOEXEC)
		if err != nil {
			return nil, fmt.Errorf("make memory for the load's counters: %w", err)
		}
		file = os.NewFile(uintptr(fd), "lanes")
		if err := file.Truncate(int64(size)); err != nil {
			file.Close()
			return nil, fmt.Errorf("make memory for the load's counters: %w", err)
		}
	}
	b, err := sys.Shared(int(file.Fd()), size)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("map the load's counters: %w", err)
	}
	return &lanes{file: file, bytes: b, words: sys.Words(b)}, nil
}

// at returns counter i.
func (l *lanes) at(i int) *uint32 { return &l.words[i*laneBytes/4] }

// slice returns the counters first to first+n-1.
func (l *lanes) slice(first, n int) []*uint32 {
	list := make([]*uint32, n)
	for i := range list {
		list[i] = l.at(first + i)
	}
	return list
}

func (l *lanes) close() {
	unix.Munmap(l.bytes)
	l.file.Close()
}

// A gauge turns the lanes of one part of one kind into its rate.
type gauge struct {
	label, unit string
	scale       float64
	lanes       []*uint32
	last        []uint32
}

// advance returns what was counted since the last call, in the gauge's unit.
func (g *gauge) advance() float64 {
	var sum uint64
	for i, lane := range g.lanes {
		now := atomic.LoadUint32(lane)
		sum += uint64(now - g.last[i])
		g.last[i] = now
	}
	return float64(sum) * g.scale
}

func (g *gauge) add(lanes []*uint32) {
	g.lanes = append(g.lanes, lanes...)
	g.last = make([]uint32, len(g.lanes))
}
