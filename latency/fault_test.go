package latency

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/sampler"
	"worstcase/sampler/samplertest"
)

// A measuring is this test binary at work in a process of its own.
type measuring struct {
	cmd   *exec.Cmd
	lines *bufio.Scanner
	child int
}

func startMeasuring(t *testing.T, binary string, j job, credential *syscall.Credential) *measuring {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "measure", string(text))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	m := &measuring{cmd: cmd, lines: bufio.NewScanner(pipe)}
	m.lines.Buffer(nil, 1<<20)
	var ready struct{ Child int }
	m.read(t, &ready)
	m.child = ready.Child
	return m
}

func (m *measuring) read(t *testing.T, into any) {
	t.Helper()
	if !m.lines.Scan() {
		t.Fatalf("the measuring process said nothing more: %v", m.lines.Err())
	}
	var failed struct{ Error string }
	if err := errors.Join(json.Unmarshal(m.lines.Bytes(), &failed), json.Unmarshal(m.lines.Bytes(), into)); err != nil {
		t.Fatal(err)
	}
	if failed.Error != "" {
		t.Fatalf("the measuring process: %s", failed.Error)
	}
}

// awaitGone waits until no process pid is there any more.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 20000)
		if n == 1 {
			return
		}
		if err != nil && err != unix.EINTR {
			t.Fatal(err)
		}
	}
	t.Errorf("the sampler %d is still there", pid)
}

func TestTheChildDiesWithItsParent(t *testing.T) {
	j := job{Config{CPUs: []int{1}, Period: time.Millisecond, Policy: rtsched.FIFO, Priority: 50}, time.Minute}
	t.Run("as root", func(t *testing.T) {
		m := startMeasuring(t, "/proc/self/exe", j, nil)
		m.cmd.Process.Kill()
		awaitGone(t, m.child)
	})
	t.Run("with file capabilities, as nobody", func(t *testing.T) {
		m := startMeasuring(t, withCapabilities(t), j, &syscall.Credential{Uid: 65534, Gid: 65534})
		m.cmd.Process.Kill()
		awaitGone(t, m.child)
	})
}

// withCapabilities is a copy of this binary that anybody may run in real time.
func withCapabilities(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root: setcap")
	}
	dir, err := os.MkdirTemp("/tmp", "worstcase-caps")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	os.Chmod(dir, 0o755)
	binary, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "latency")
	if err := os.WriteFile(file, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("setcap", "cap_sys_nice,cap_ipc_lock+ep", file).CombinedOutput(); err != nil {
		t.Fatalf("setcap: %v: %s", err, out)
	}
	return file
}

func TestAParentStoppedLongerThanTheRingLosesNoFigure(t *testing.T) {
	const period = time.Millisecond
	j := job{Config{CPUs: []int{1}, Period: period, Policy: rtsched.FIFO, Priority: 50, Buffer: 500 * time.Millisecond}, 6 * time.Second}
	m := startMeasuring(t, "/proc/self/exe", j, nil)
	m.cmd.Process.Signal(syscall.SIGSTOP)
	time.Sleep(3 * time.Second) // the length of the stop, not a wait for an event
	m.cmd.Process.Signal(syscall.SIGCONT)
	var end results.End
	m.read(t, &end)
	samplertest.CheckPeriods(t, &end, period)
	s := end.Series[0]
	if s.Unrecorded < 1000 {
		t.Errorf("%d unrecorded samples, want most of 3000", s.Unrecorded)
	}
	if mean := s.Mean(); mean < float64(s.Min) || mean > float64(s.Max) {
		t.Errorf("mean %g ns is not within %d and %d", mean, s.Min, s.Max)
	}
}

func TestKillingTheChildIsAnError(t *testing.T) {
	var killed bool
	s := &script{}
	end, err := tryMeasure(t, Config{Period: time.Millisecond}, 20*time.Second, s, func(src *Source) {
		s.onSecond = func(int) {
			killed = true
			syscall.Kill(src.child.Pid(), syscall.SIGKILL)
		}
	})
	if !killed || err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("error %v", err)
	}
	if end == nil || end.Reason != "error" || end.Error == "" || end.Series[0].Count < 900 {
		t.Errorf("end %+v", end)
	}
}

// A stall of the measuring thread must be seen whole: one sample as long as it,
// every period of it counted as an overrun, and the next sample back in step.
func TestAStoppedChildIsSeenWhole(t *testing.T) {
	const stop = 50 * time.Millisecond
	s := &script{}
	var rows bytes.Buffer
	raw := results.NewRawWriter(&rows)
	s.raw = raw
	end, err := tryMeasure(t, Config{}, 3*time.Second, s, func(src *Source) {
		s.onSecond = func(second int) {
			if second == 1 {
				syscall.Kill(src.child.Pid(), syscall.SIGSTOP)
				time.Sleep(stop)
				syscall.Kill(src.child.Pid(), syscall.SIGCONT)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	samplertest.CheckPeriods(t, end, DefaultPeriod)
	checkStall(t, rows.Bytes()[len(results.RawMagic):], int64(stop))
}

// checkStall looks for the one sample that is at least stop late.
func checkStall(t *testing.T, rows []byte, stop int64) {
	t.Helper()
	const period = int64(DefaultPeriod)
	column := func(row []byte, i int) int64 { return int64(binary.LittleEndian.Uint64(row[i*8:])) }
	found := 0
	for ; len(rows) >= 2*results.RawRow; rows = rows[results.RawRow:] {
		due, late, missed := column(rows, 1), column(rows, 2), column(rows, 3)
		if late < stop*98/100 {
			continue
		}
		found++
		if missed != late/period {
			t.Errorf("%d periods missed by a sample %d ns late", missed, late)
		}
		if next := column(rows[results.RawRow:], 1); next <= due+late || next > due+late+period {
			t.Errorf("the sample after the stall is due %d ns after it ended", next-due-late)
		}
	}
	if found != 1 {
		t.Errorf("%d samples show the stop, want one", found)
	}
}

func TestAHogOfHigherPriorityIsSeenWhole(t *testing.T) {
	const length = 5 * time.Millisecond
	s := &script{}
	var other *sampler.Child
	end, err := tryMeasure(t, Config{Priority: 98}, 3*time.Second, s, func(src *Source) {
		var err error
		other, err = sampler.Start(t.Context(), sampler.Config{
			Loop: samplertest.Hog.Name, Columns: 1, Args: length, Period: time.Second,
			Threads: []rtsched.Thread{{Name: "hog", Priority: 99, CPU: src.cfg.CPUs[0]}},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.onSecond = func(second int) {
			if second == 1 {
				other.Go(sys.Nanotime()+1e6, 0)
			}
		}
	})
	if other != nil {
		other.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	samplertest.CheckPeriods(t, end, DefaultPeriod)
	if total := end.Series[0]; time.Duration(total.Max) < length-DefaultPeriod-time.Millisecond/10 || total.Overruns < int64(length/DefaultPeriod)-2 {
		t.Errorf("max %s and %d overruns under a hog of %s", time.Duration(total.Max), total.Overruns, length)
	}
}
