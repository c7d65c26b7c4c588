package shm

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// receive reads len(b) bytes and the descriptors that come with the first of
// them: exactly want, or any number when want is negative.
func receive(link int, b []byte, want int) (fds []int, err error) {
	defer func() {
		if err != nil {
			for _, fd := range fds {
				unix.Close(fd)
			}
			fds = nil
		}
	}()
	tv := unix.Timeval{Sec: joinSeconds}
	if err := unix.SetsockoptTimeval(link, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv); err != nil {
		return nil, fmt.Errorf("set timeout of the link: %w", err)
	}
	oob := make([]byte, unix.CmsgSpace(4*8))
	for got := 0; got < len(b); {
		n, nOOB, _, _, err := unix.Recvmsg(link, b[got:], oob, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err == nil && n == 0 {
			err = errors.New("peer closed the link")
		}
		if err != nil {
			return fds, fmt.Errorf("read from the link: %w", err)
		}
		got += n
		if nOOB > 0 {
			more, err := sys.Rights(oob[:nOOB])
			fds = append(fds, more...)
			if err != nil {
				return fds, err
			}
		}
	}
	if want >= 0 && len(fds) != want {
		return fds, fmt.Errorf("%d descriptors came, not %d", len(fds), want)
	}
	return fds, nil
}

// expect reads one byte and compares it.
func expect(link int, want byte) error {
	b := []byte{0}
	fds, err := receive(link, b, 0)
	for _, fd := range fds {
		unix.Close(fd)
	}
	if err != nil {
		return err
	}
	if b[0] != want {
		return fmt.Errorf("peer sent %q, not %q", b[0], want)
	}
	return nil
}
