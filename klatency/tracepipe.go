package klatency

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// lines cuts what a pipe gives into lines.
type lines struct {
	rest []byte
}

// read reads all that the pipe has now, without waiting, and calls f with each
// whole line, which is valid during the call only.
func (l *lines) read(pipe int, f func(line []byte)) error {
	chunk := make([]byte, 1<<16)
	for {
		n, err := unix.Read(pipe, chunk)
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN, err == nil && n == 0:
			return nil
		case err != nil:
			return err
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
	}
}
