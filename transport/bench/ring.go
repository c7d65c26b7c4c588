package main

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/transport/shm"
)

//go:embed c/ring.c
var ringSource []byte

// A cProgram is a compiled C program that prints a cResult.
type cProgram struct{ path string }

// compile compiles a source with the machine's C compiler. The caller removes
// the program.
func compile(name string, source []byte, flags ...string) (*cProgram, error) {
	folder, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, err
	}
	p := &cProgram{filepath.Join(folder, name)}
	if err = os.WriteFile(p.path+".c", source, 0o600); err == nil {
		var out []byte
		args := append([]string{"-O2", "-o", p.path, p.path + ".c"}, flags...)
		if out, err = exec.Command("cc", args...).CombinedOutput(); err != nil {
			err = fmt.Errorf("compile %s.c: %w: %s", name, err, out)
		}
	}
	if err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

// A cResult is what the C programs print.
type cResult struct {
	PerSecond float64 `json:"per_second"`
	P50       float64 `json:"p50_ns"`
}

// run sends count messages, one each period, 0 for as fast as possible.
func (p *cProgram) run(count int, period time.Duration) (cResult, error) {
	var result cResult
	out, err := exec.Command(p.path, strconv.Itoa(count), strconv.FormatInt(int64(period), 10)).Output()
	if err == nil { // a middleware may talk before
		err = json.Unmarshal(out[max(0, bytes.LastIndexByte(out, '{')):], &result)
	}
	return result, err
}

func (p *cProgram) remove() { os.RemoveAll(filepath.Dir(p.path)) }

// throughput sends count messages of 16 bytes from this process to a child over
// shm, spinning on both sides, each with a clock read and the time in the
// message, and returns messages a second as the child counted them.
func throughput(count int) (float64, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "link")
	cmd := exec.Command("/proc/self/exe", "subscriber", strconv.Itoa(count), "1")
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	theirs.Close()
	p, err := shm.New(shm.Config{
		Classes: []shm.Class{{Size: 64, Count: 1026}}, Depth: 1024, Notifier: shm.Spin, Patience: 10 * time.Second, Raw: true,
	})
	if err != nil {
		return 0, err
	}
	defer p.Close()
	if err := p.Serve(fds[0]); err != nil {
		return 0, err
	}
	done := make(chan error)
	go func() { done <- publishAll(p, count) }()
	if err := <-done; err != nil {
		return 0, err
	}
	var rate float64
	if _, err := fmt.Fscan(out, &rate); err != nil {
		return 0, err
	}
	return rate, cmd.Wait()
}

// hold pins the calling goroutine's thread, without a collector to disturb it.
func hold(cpu int) (free func(), err error) {
	runtime.LockOSThread() // never unlocked: the thread ends with its goroutine
	var set unix.CPUSet
	set.Set(cpu)
	old := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(old) }, unix.SchedSetaffinity(0, &set)
}

func publishAll(p *shm.Publisher, count int) error {
	free, err := hold(0)
	if err != nil {
		return err
	}
	defer free()
	for n := range count {
		c, err := p.Loan(16)
		if err != nil {
			return err
		}
		binary.NativeEndian.PutUint64(c.Data, uint64(n))
		binary.NativeEndian.PutUint64(c.Data[8:], uint64(sys.Nanotime()))
		p.Publish(c)
	}
	return nil
}

// subscriberMain is the child of throughput.
func subscriberMain(count, cpu string) error {
	n, _ := strconv.Atoi(count)
	on, _ := strconv.Atoi(cpu)
	s, err := shm.Join(3, shm.Options{Raw: true})
	if err != nil {
		return err
	}
	defer s.Close()
	done := make(chan error)
	go func() {
		rate, err := takeAll(s, n, on)
		if err == nil {
			fmt.Println(rate)
		}
		done <- err
	}()
	return <-done
}

func takeAll(s *shm.Subscriber, count, cpu int) (rate float64, err error) {
	free, err := hold(cpu)
	if err != nil {
		return 0, err
	}
	defer free()
	start, sum := int64(0), int64(0)
	for n := range count {
		m, err := s.Take(10 * time.Second)
		if err != nil {
			return 0, err
		}
		now := sys.Nanotime()
		if n == 0 {
			start = now
		}
		if binary.NativeEndian.Uint64(m.Data) != uint64(n) {
			return 0, errors.New("a message is missing")
		}
		sum += now - int64(binary.NativeEndian.Uint64(m.Data[8:]))
		s.Release(m)
	}
	if sum < 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return float64(count) / (float64(sys.Nanotime()-start) / 1e9), nil
}
