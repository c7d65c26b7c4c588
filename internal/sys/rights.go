package sys

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Rights returns the descriptors in the control messages b, which may be empty.
// With an error it returns those that it found before.
func Rights(b []byte) (fds []int, err error) {
	if len(b) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(b)
	if err != nil {
		return nil, fmt.Errorf("read control message: %w", err)
	}
	for i := range messages {
		more, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return fds, fmt.Errorf("read descriptors: %w", err)
		}
		fds = append(fds, more...)
	}
	return fds, nil
}
