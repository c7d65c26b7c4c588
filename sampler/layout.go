package sampler

import (
	"fmt"
	"math/bits"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// The layout of the shared memory, as the package comment gives it.
const (
	magic   = 0x57435352
	version = 1
	page    = 4096

	wordMagic, wordVersion, wordThreads, wordColumns, wordRows = 0, 1, 2, 3, 4
	wordGo, wordStop, wordBeat                                 = 5, 6, 7
	valueFirst, valueMeasured                                  = 8, 9

	wordHead, wordTail, wordSequence       = 0, 16, 32
	wordFaults, wordSwitches               = 48, 49
	valueDropped                           = 32
	perColumn                              = 4
	columnSum, columnMin, columnMax, maxAt = 0, 1, 2, 3
)

// MaxColumns is the widest row that a ring takes.
const MaxColumns = 16

// shared is the mapped memory between parent and child.
type shared struct {
	memory  []byte
	words   []uint32
	values  []int64
	threads int
	columns int
	rows    int
}

// ringBytes is the size of one thread's header and rows.
func ringBytes(columns, rows int) int {
	return page + (columns*rows*8+page-1)/page*page
}

// rowsFor is the ring length, a power of two, that holds at least length at
// one row a period.
func rowsFor(period, length time.Duration) int {
	n := int(length / max(period, time.Microsecond))
	return 1 << bits.Len(uint(max(n, 64)-1))
}

// createShared makes a sealed memory file for the given rings and maps it.
func createShared(threads, columns, rows int) (int, *shared, error) {
	size := page + threads*ringBytes(columns, rows)
	fd, err := unix.MemfdCreate("worstcase-rings", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, nil, fmt.Errorf("create shared memory: %w", err)
	}
	s, err := sealAndMap(fd, size)
	if err != nil {
		unix.Close(fd)
		return -1, nil, err
	}
	for word, v := range map[int]int{wordMagic: magic, wordVersion: version, wordThreads: threads, wordColumns: columns, wordRows: rows} {
		s.words[word] = uint32(v)
	}
	s.threads, s.columns, s.rows = threads, columns, rows
	return fd, s, nil
}

func sealAndMap(fd, size int) (*shared, error) {
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return nil, fmt.Errorf("size shared memory to %d bytes: %w", size, err)
	}
	seals := unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return nil, fmt.Errorf("seal shared memory: %w", err)
	}
	return mapShared(fd, size)
}

func mapShared(fd, size int) (*shared, error) {
	memory, err := sys.Shared(fd, size)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of shared memory: %w", size, err)
	}
	return &shared{memory: memory, words: sys.Words(memory[:page]), values: sys.Values(memory[:page])}, nil
}

// openShared maps what the parent made, and checks that both speak of the same.
func openShared(fd int) (*shared, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, fmt.Errorf("read size of shared memory: %w", err)
	}
	if st.Size < page {
		return nil, fmt.Errorf("shared memory of %d bytes is too small", st.Size)
	}
	s, err := mapShared(fd, int(st.Size))
	if err != nil {
		return nil, err
	}
	if s.words[wordMagic] != magic || s.words[wordVersion] != version {
		return nil, fmt.Errorf("shared memory has magic %#x version %d, want %#x version %d",
			s.words[wordMagic], s.words[wordVersion], magic, version)
	}
	s.threads, s.columns, s.rows = int(s.words[wordThreads]), int(s.words[wordColumns]), int(s.words[wordRows])
	if want := page + s.threads*ringBytes(s.columns, s.rows); int(st.Size) != want {
		return nil, fmt.Errorf("shared memory has %d bytes, want %d", st.Size, want)
	}
	return s, nil
}

// ring returns the words, values and rows of one thread's ring.
func (s *shared) ring(thread int) ([]uint32, []int64, []int64) {
	size := ringBytes(s.columns, s.rows)
	b := s.memory[page+thread*size:][:size]
	return sys.Words(b[:page]), sys.Values(b[:page]), sys.Values(b[page:])[:s.columns*s.rows]
}

func (s *shared) close() { unix.Munmap(s.memory) }
