package klatency

import (
	"bytes"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// lines cuts what a pipe gives into lines.
type lines struct {
	rest []byte
}

// pageful is less than the kernel gives from a trace_pipe in one read while it
// has more: its buffer is a page, which a long stack may leave half empty.
const pageful = 2048

// read reads what the pipe has now, without waiting, and calls f with each whole
// line, which is valid during the call only. While tracing goes on it ends at a
// short read: reading makes events, too, and would never see the pipe empty.
// Once tracing has ended, all is read to the last byte.
func (l *lines) read(pipe int, ended bool, f func(line []byte)) error {
	chunk := make([]byte, 1<<16)
	for {
		// Raw: what the runtime does around an ordinary call that takes long, some
		// ten times a millisecond, would be noise on a machine with one CPU.
		n, errno := sys.Read(pipe, chunk, true)
		switch {
		case errno == unix.EINTR:
			continue
		case errno == unix.EAGAIN, errno == 0 && n == 0:
			return nil
		case errno != 0:
			return errno
		}
		l.rest = append(l.rest, chunk[:n]...)
		for {
			line, after, found := bytes.Cut(l.rest, []byte("\n"))
			if !found {
				break
			}
			f(line)
			l.rest = after
		}
		if n < pageful && !ended {
			return nil
		}
	}
}
