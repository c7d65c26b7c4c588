package loadgen

import (
	"crypto/subtle"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func memoryKind() Kind {
	return Kind{
		Name:     "memory",
		Stresses: "memory: bandwidth, page faults, and unmapping that shoots down TLBs",
		Counter:  "/proc/vmstat pgfault",
		Memory:   true,
		Parts: []Part{
			{Name: "stream", Unit: "MB/s", Scale: streamUnit / 1e6, start: startStream},
			{Name: "map", Unit: "map/s", start: startMap},
			{Name: "fault", Unit: "fault/s", start: startFault},
		},
	}
}

// streamUnit is what one count of the stream part stands for, in bytes read or
// written by the program.
const streamUnit = 4096

// startStream copies and combines arrays larger than the caches.
func startStream(w *worker, lanes []*uint32) error {
	size := int(min(w.Memory/5, 64<<20)) &^ (streamUnit - 1)
	var arrays [3][]byte
	for i := range arrays {
		b, err := memory(size, false)
		if err != nil {
			return err
		}
		for at := 0; at < size; at += os.Getpagesize() {
			b[at] = 1 // give each page its own frame, not the zero page
		}
		arrays[i] = b
	}
	const piece = 1 << 20
	at, turn := 0, 0
	return w.thread(lanes[0], func() int {
		a, b, c := arrays[turn%3], arrays[(turn+1)%3], arrays[(turn+2)%3]
		end := min(at+piece, size)
		n := end - at
		moved := 2 * n
		if turn%4 == 3 {
			subtle.XORBytes(c[at:end], a[at:end], b[at:end])
			moved = 3 * n
		} else {
			copy(b[at:end], a[at:end])
		}
		if at = end; at == size {
			at, turn = 0, turn+1
		}
		return moved / streamUnit
	})
}

// startMap maps memory that is populated at once, and unmaps it: long stretches
// of kernel code, after which every CPU that runs this process must drop its
// translations.
func startMap(w *worker, lanes []*uint32) error {
	size := int(min(w.Memory/5, 16<<20)) &^ (os.Getpagesize() - 1)
	probe := func() error {
		b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
		if err != nil {
			return err
		}
		return unix.Munmap(b)
	}
	if err := probe(); err != nil {
		return fmt.Errorf("map and unmap %d KiB: %w", size>>10, err)
	}
	return w.thread(lanes[0], func() int {
		if probe() != nil {
			return 0
		}
		return 1
	})
}

// startFault touches pages one by one and gives them back.
func startFault(w *worker, lanes []*uint32) error {
	page := os.Getpagesize()
	const pages = 256
	b, err := memory(pages*page, false)
	if err != nil {
		return err
	}
	return w.thread(lanes[0], func() int {
		for at := 0; at < len(b); at += page {
			b[at] = 1
		}
		if unix.Madvise(b, unix.MADV_DONTNEED) != nil {
			return 0
		}
		return pages
	})
}
