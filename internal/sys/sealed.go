package sys

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// SizeSeals forbid to change the size of a memory file, and to take that back,
// so that no peer can make an access to its mapping raise SIGBUS.
const SizeSeals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// NewSealed makes a memory file of size bytes (memfd_create, Linux 3.17), maps
// it for reading and writing, touches all of it, and fixes its size with SizeSeals.
// With readers, whoever else gets the descriptor may only map it for reading
// (F_SEAL_FUTURE_WRITE, Linux 5.1; without it the seal is left out).
// The caller closes the descriptor and unmaps the memory.
func NewSealed(name string, size int, readers bool) (fd int, mem []byte, err error) {
	fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, nil, fmt.Errorf("create memory file %s: %w", name, err)
	}
	defer func() {
		if err != nil {
			unix.Close(fd)
		}
	}()
	if err = unix.Ftruncate(fd, int64(size)); err != nil {
		return -1, nil, fmt.Errorf("size memory file %s to %d bytes: %w", name, size, err)
	}
	mem, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return -1, nil, fmt.Errorf("map %d bytes of memory file %s: %w", size, name, err)
	}
	// MAP_POPULATE does nothing in a process whose memory is locked on fault.
	for i := 0; i < len(mem); i += unix.Getpagesize() {
		mem[i] = 0
	}
	if readers {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_FUTURE_WRITE)
		if err != nil && err != unix.EINVAL {
			unix.Munmap(mem)
			return -1, nil, fmt.Errorf("seal memory file %s against writers: %w", name, err)
		}
	}
	if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, SizeSeals); err != nil {
		unix.Munmap(mem)
		return -1, nil, fmt.Errorf("seal memory file %s: %w", name, err)
	}
	return fd, mem, nil
}

// MapSealed maps a memory file that another process made with NewSealed. It
// refuses a file whose size is not size, or whose size isn't sealed, and touches
// all of it. The descriptor may be closed afterwards; the caller unmaps the memory.
func MapSealed(fd, size int, write bool) ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, fmt.Errorf("stat memory file: %w", err)
	}
	if st.Size != int64(size) {
		return nil, fmt.Errorf("map memory file: it has %d bytes, not %d", st.Size, size)
	}
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil {
		return nil, fmt.Errorf("read seals of memory file: %w", err)
	}
	if seals&SizeSeals != SizeSeals {
		return nil, fmt.Errorf("map memory file: its size is not sealed (seals %#x)", seals)
	}
	prot := unix.PROT_READ
	if write {
		prot |= unix.PROT_WRITE
	}
	mem, err := unix.Mmap(fd, 0, size, prot, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes of memory file: %w", size, err)
	}
	touched := byte(0)
	for i := 0; i < len(mem); i += unix.Getpagesize() {
		touched |= mem[i]
	}
	runtime.KeepAlive(touched)
	return mem, nil
}
