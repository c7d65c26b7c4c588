package loadgen

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// Descriptors of a supervisor, besides the standard ones.
const (
	supervisorControl = 3
	supervisorReport  = 4
	supervisorLanes   = 5
)

// A supervisor starts the workers of a load, waits for the tool to end, and
// cleans up.
type supervisor struct {
	plan    plan
	host    machine
	journal *journal
	group   *group
	lanes   *os.File
	out     *json.Encoder
	stop    chan struct{} // closed when the tool wants the end, or has ended
	died    chan error    // what ended a worker
}

// runSupervisor is a supervisor's life.
func runSupervisor() error {
	// Workers die with the thread that started them: it must be this one, and stay.
	runtime.LockOSThread()
	rename("load-supervisor")
	signal.Ignore(unix.SIGINT, unix.SIGHUP, unix.SIGPIPE)
	for fd := supervisorControl; fd <= supervisorLanes; fd++ {
		unix.CloseOnExec(fd)
	}
	control := bufio.NewReader(os.NewFile(supervisorControl, "control"))
	s := &supervisor{
		host: machine{root: "/"}, lanes: os.NewFile(supervisorLanes, "lanes"),
		out:  json.NewEncoder(os.NewFile(supervisorReport, "report")),
		stop: make(chan struct{}), died: make(chan error, 1),
	}
	line, err := control.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	if err := json.Unmarshal(line, &s.plan); err != nil {
		return fmt.Errorf("read the plan: %w", err)
	}
	go s.watch(control)
	if s.journal, err = newJournal(s.host); err != nil {
		s.out.Encode(reportOf(err))
		return nil
	}
	if err := s.start(); err != nil {
		err = errors.Join(err, s.journal.clean(s.host))
		s.out.Encode(reportOf(err))
		return nil
	}
	s.wait()
	return s.journal.clean(s.host)
}

// watch closes stop at the end of the control pipe, or when somebody asks this
// process to end.
func (s *supervisor) watch(control io.Reader) {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGTERM)
	closed := make(chan struct{})
	go func() {
		io.Copy(io.Discard, control)
		close(closed)
	}()
	select {
	case <-asked:
	case <-closed:
	}
	close(s.stop)
}

// start makes the cgroup and the workers, lets them go together, and reports
// once all run.
func (s *supervisor) start() error {
	group, notes, err := newGroup(s.plan.Config, s.journal)
	if err != nil {
		return err
	}
	s.group = group
	if err := setAffinity(s.plan.Config.CPUs); err != nil {
		return err
	}
	var held []*member
	for _, j := range s.plan.Jobs {
		m, err := s.newWorker(j)
		if err != nil {
			return fmt.Errorf("start %s: %w", j.label(), err)
		}
		held = append(held, m)
	}
	for _, m := range held {
		if err := m.release(); err != nil {
			return err
		}
	}
	for _, m := range held {
		if err := m.awaitReady(s.stop); err != nil {
			return err
		}
	}
	return s.out.Encode(report{Ready: true, Notes: notes})
}

// wait passes on what becomes of the workers, until the tool wants the end.
func (s *supervisor) wait() {
	for {
		select {
		case <-s.stop:
			return
		case err := <-s.died:
			s.out.Encode(reportOf(err))
		}
	}
}

// A member is a worker as its supervisor sees it.
type member struct {
	label       string
	hold, ready *os.File
}

// newWorker starts a worker and puts it into the cgroup; the worker waits.
func (s *supervisor) newWorker(j job) (*member, error) {
	j.Supervisor = os.Getpid()
	if s.group == nil {
		c := s.plan.Config
		j.Limits = &limits{Memory: c.Memory, Disk: c.Disk, Pids: c.Pids}
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	holdRead, hold, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer holdRead.Close()
	ready, readyWrite, err := os.Pipe()
	if err != nil {
		hold.Close()
		return nil, err
	}
	defer readyWrite.Close()
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], markWorker, string(text)}, Stderr: os.Stderr,
		Env:        append(os.Environ(), tag+"="+s.journal.name()),
		ExtraFiles: []*os.File{holdRead, readyWrite, s.lanes},
	}
	m := &member{label: j.label(), hold: hold, ready: ready}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		if err := cmd.Wait(); err != nil {
			err = fmt.Errorf("load %s ended: %w", m.label, err)
			select {
			case s.died <- err:
			default: // the first one tells enough
			}
		}
	}()
	return m, s.place(cmd.Process.Pid, j.Spec)
}

// place puts a worker into the cgroup, and first in line for the kernel's
// out-of-memory killer.
func (s *supervisor) place(pid int, spec Spec) error {
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte("1000"), 0); err != nil {
		return fmt.Errorf("set oom_score_adj: %w", err)
	}
	if s.group == nil {
		return nil
	}
	if err := s.group.add(pid, spec); err != nil {
		return fmt.Errorf("put it into the cgroup: %w", err)
	}
	return nil
}

func (m *member) release() error {
	_, err := m.hold.Write([]byte{readyByte})
	if err != nil {
		return fmt.Errorf("start %s: %w", m.label, err)
	}
	return m.hold.Close()
}

// awaitReady returns when the worker runs, or what kept it from running.
func (m *member) awaitReady(stop <-chan struct{}) error {
	defer m.ready.Close()
	said := make(chan []byte, 1)
	go func() {
		// To the first byte, not to the end: loop processes inherit the pipe.
		first := make([]byte, 1)
		if n, _ := m.ready.Read(first); n == 0 || first[0] == readyByte {
			said <- first[:n]
			return
		}
		rest, _ := io.ReadAll(m.ready)
		said <- append(first, rest...)
	}()
	select {
	case text := <-said:
		switch {
		case bytes.Equal(text, []byte{readyByte}):
			return nil
		case len(text) == 0:
			return fmt.Errorf("start %s: it ended", m.label)
		}
		var r report
		if err := json.Unmarshal(text, &r); err != nil {
			return errors.New(strings.TrimSpace(string(text)))
		}
		return r.err()
	case <-stop:
		return errors.New("the tool ended while the load started")
	}
}

// setAffinity binds the calling thread, and what it starts, to the CPUs.
func setAffinity(cpus []int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("set affinity to cpus %s: %w", cpuList(cpus), err)
	}
	return nil
}
