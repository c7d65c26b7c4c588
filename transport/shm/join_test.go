package shm

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// An impostor sends the descriptors of files that are not what they should be.
func TestJoinRefuses(t *testing.T) {
	tests := []struct {
		name  string
		files func(t *testing.T, p *Publisher) (control, data int)
		want  string
	}{
		{"unsealed payloads", func(t *testing.T, p *Publisher) (int, int) {
			return p.fds[0], plainFile(t, int(p.dataBytes()))
		}, "size is not sealed"},
		{"short payloads", func(t *testing.T, p *Publisher) (int, int) {
			return p.fds[0], sealedFile(t, int(p.dataBytes())-line)
		}, "bytes, not"},
		{"long control", func(t *testing.T, p *Publisher) (int, int) {
			return sealedFile(t, p.controlBytes()+line), p.fds[1]
		}, "bytes, not"},
		{"blank control", func(t *testing.T, p *Publisher) (int, int) {
			return sealedFile(t, p.controlBytes()), p.fds[1]
		}, "magic number 0x0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newPublisher(t, Config{})
			control, data := test.files(t, p)
			a, b := socketpair(t)
			defer unix.Close(a)
			go func() {
				fds, err := receive(a, make([]byte, helloBytes), 1)
				if err != nil {
					t.Error(err)
					return
				}
				unix.Sendmsg(a, p.welcome(0), unix.UnixRights(control, data, fds[0]), nil, 0)
				unix.Close(fds[0])
			}()
			_, err := Join(b, Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestServeRefusesStrangers(t *testing.T) {
	p := newPublisher(t, Config{})
	a, b := socketpair(t)
	unix.Write(b, []byte("GET / HT"))
	if err := p.Serve(a); err == nil {
		t.Error("a peer without pidfd joined")
	}
	unix.Close(b)
	a, b = socketpair(t)
	unix.Close(b)
	if err := p.Serve(a); err == nil {
		t.Error("a peer that is gone joined")
	}
	s := join(t, p) // its place must still be free
	s.Close()
}

func plainFile(t *testing.T, size int) int {
	t.Helper()
	fd, err := unix.MemfdCreate("plain", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		t.Fatal(err)
	}
	return fd
}

func sealedFile(t *testing.T, size int) int {
	t.Helper()
	fd, mem, err := sys.NewSealed("test", size, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd); unix.Munmap(mem) })
	return fd
}
