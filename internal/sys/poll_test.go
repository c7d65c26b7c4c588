package sys

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPollLetsTheCollectorRun: a collection ends while a thread polls, before
// what it polls for comes. One that waited for the thread would find it timed out.
func TestPollLetsTheCollectorRun(t *testing.T) {
	var pipe [2]int
	if err := unix.Pipe2(pipe[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pipe[0])
	defer unix.Close(pipe[1])
	polling, ready := make(chan struct{}), make(chan int)
	go func() {
		fds := []unix.PollFd{{Fd: int32(pipe[0]), Events: unix.POLLIN}}
		close(polling)
		ready <- Poll(fds, 10_000, false)
	}()
	<-polling
	runtime.GC()
	if _, err := unix.Write(pipe[1], []byte{1}); err != nil {
		t.Fatal(err)
	}
	if n := <-ready; n != 1 {
		t.Errorf("%d descriptors are ready after the collection, want 1", n)
	}
}
