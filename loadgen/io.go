package loadgen

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

func ioKind() Kind {
	return Kind{
		Name:     "io",
		Stresses: "the disk: buffered writes with fsync, direct writes, reads past the page cache",
		Needs:    "a directory on a disk with twice the room of --disk",
		Counter:  "/proc/vmstat pgpgout",
		Disk:     true,
		Parts: []Part{
			{Name: "buffered", Unit: "MB/s", Scale: ioBlock / 1e6, start: startBuffered},
			{Name: "direct", Unit: "MB/s", Scale: ioBlock / 1e6, start: startDirect},
			{Name: "read", Unit: "MB/s", Scale: ioBlock / 1e6, start: startRead},
		},
	}
}

// ioBlock is how much is written or read at once, in bytes.
const ioBlock = 64 << 10

// scratch opens a file without a name, with the flags, for a third of the disk
// space that the worker may take. It returns the number of its blocks.
func (w *worker) scratch(flags int) (fd, blocks int, err error) {
	fd, err = unix.Open(w.Dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC|flags, 0o600)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EISDIR) {
		fd, err = w.unlinked(flags)
	}
	if err != nil {
		return -1, 0, fmt.Errorf("make a file in %s: %w", w.Dir, err)
	}
	return fd, int(w.Disk / 3 / ioBlock), nil
}

// unlinked makes a file for file systems that know no O_TMPFILE.
func (w *worker) unlinked(flags int) (int, error) {
	name := fmt.Sprintf("%s/worstcase-load-%d-%d", w.Dir, os.Getpid(), flags)
	fd, err := unix.Open(name, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_CLOEXEC|flags, 0o600)
	if err != nil {
		return -1, err
	}
	return fd, unix.Unlink(name)
}

// startBuffered writes through the page cache and syncs every 4 MiB.
func startBuffered(w *worker, lanes []*uint32) error {
	fd, blocks, err := w.scratch(0)
	if err != nil {
		return err
	}
	block, at := make([]byte, ioBlock), 0
	return w.thread(lanes[0], func() int {
		n, _ := unix.Pwrite(fd, block, int64(at)*ioBlock)
		at = (at + 1) % blocks
		if at%64 == 0 {
			unix.Fsync(fd)
		}
		return n / ioBlock
	})
}

// startDirect writes past the page cache, or synchronously on file systems that
// don't offer that.
func startDirect(w *worker, lanes []*uint32) error {
	fd, blocks, err := w.scratch(unix.O_DIRECT)
	if errors.Is(err, unix.EINVAL) {
		fd, blocks, err = w.scratch(unix.O_SYNC)
	}
	if err != nil {
		return err
	}
	block, err := memory(ioBlock, false) // direct writes want aligned memory
	if err != nil {
		return err
	}
	at := 0
	return w.thread(lanes[0], func() int {
		n, _ := unix.Pwrite(fd, block, int64(at)*ioBlock)
		at = (at + 1) % blocks
		return n / ioBlock
	})
}

// startRead reads a file again and again, and drops it from the page cache in between.
func startRead(w *worker, lanes []*uint32) error {
	fd, blocks, err := w.scratch(0)
	if err != nil {
		return err
	}
	block := make([]byte, ioBlock)
	for at := range blocks {
		if _, err := unix.Pwrite(fd, block, int64(at)*ioBlock); err != nil {
			return fmt.Errorf("fill a file in %s: %w", w.Dir, err)
		}
	}
	if err := unix.Fsync(fd); err != nil {
		return fmt.Errorf("sync a file in %s: %w", w.Dir, err)
	}
	at := 0
	return w.thread(lanes[0], func() int {
		if at == 0 {
			unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED)
		}
		n, _ := unix.Pread(fd, block, int64(at)*ioBlock)
		at = (at + 1) % blocks
		return n / ioBlock
	})
}
