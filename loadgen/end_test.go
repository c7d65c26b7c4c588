package loadgen

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// toolArgument marks the test binary run as a tool with a load.
const toolArgument = "loadgen-test-tool"

// A trace is all that a load leaves behind when nobody cleans up.
type trace struct {
	Supervisor int
	Journal    string
	Groups     []string
}

// runTool is such a tool: it starts a load, says so, and does what its standard
// input tells.
func runTool() {
	c := Config{Kinds: []Spec{{Kind: "fork"}, {Kind: "sched", Part: "socket"}, {Kind: "exec"}}, Commands: []string{"while :; do sleep 0.01; done"}}
	if os.Geteuid() != 0 { // without a cgroup the least that is allowed must do, too
		c.Memory = int64(len(c.Kinds)+len(c.Commands)) * workerMemory
	}
	if len(os.Args) > 3 { // a kind, and a cgroup to be in
		c = Config{Kinds: []Spec{{Kind: os.Args[2]}}}
		pid := strconv.AppendInt(nil, int64(os.Getpid()), 10)
		if err := os.WriteFile(filepath.Join(os.Args[3], "cgroup.procs"), pid, 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	l := New(c)
	tr, err := startTraced(l)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(tr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	order, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	switch strings.TrimSpace(order) {
	case "panic":
		panic("as told")
	case "stop":
		if err := l.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(0)
}

func startTraced(l *Load) (trace, error) {
	if err := l.Start(context.Background()); err != nil {
		return trace{}, err
	}
	tr := trace{Supervisor: l.Supervisor(), Journal: filepath.Join(l.host.stateDir(), l.journalName())}
	j, err := readJournal(tr.Journal)
	if err != nil {
		return trace{}, err
	}
	tr.Groups = j.Groups
	return tr, nil
}

// left says what there is still of the load.
func (tr trace) left() []string {
	var list []string
	m := machine{root: "/"}
	if p, err := m.process(tr.Supervisor); err == nil && !p.dead && tr.Journal == filepath.Join(m.stateDir(), (&journal{PID: tr.Supervisor, Start: p.start}).name()) {
		list = append(list, fmt.Sprintf("supervisor %d", tr.Supervisor))
	}
	for _, pid := range m.tagged(filepath.Base(tr.Journal)) {
		list = append(list, fmt.Sprintf("process %d", pid))
	}
	for _, path := range append(slices.Clone(tr.Groups), tr.Journal) {
		if exists(path) {
			list = append(list, path)
		}
	}
	return list
}

// TestEnd ends tools in every way, and looks for what is left two seconds later.
func TestEnd(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, tool *tool)
		// next starts another load before looking: what it takes when nobody could
		// clean up.
		next bool
	}{
		{"stop", func(t *testing.T, tool *tool) { tool.say(t, "stop") }, false},
		{"exit without stop", func(t *testing.T, tool *tool) { tool.say(t, "exit") }, false},
		{"panic", func(t *testing.T, tool *tool) { tool.say(t, "panic") }, false},
		{"kill", func(t *testing.T, tool *tool) { tool.kill(t, tool.cmd.Process.Pid) }, false},
		{"supervisor killed", func(t *testing.T, tool *tool) {
			tool.kill(t, tool.trace.Supervisor)
			tool.say(t, "stop")
		}, false},
		{"both killed", func(t *testing.T, tool *tool) {
			// The tool first stopped, so that it can't clean up in between.
			if err := unix.Kill(tool.cmd.Process.Pid, unix.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			tool.kill(t, tool.trace.Supervisor)
			tool.kill(t, tool.cmd.Process.Pid)
		}, true},
		{"supervisor asked", func(t *testing.T, tool *tool) {
			if err := unix.Kill(tool.trace.Supervisor, unix.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := startTool(t)
			if n := len(machine{root: "/"}.tagged(filepath.Base(tool.trace.Journal))); n < 40 {
				t.Fatalf("the load has %d processes; want some more than the 40 of sched", n)
			}
			tt.end(t, tool)
			if tt.next {
				awaitDead(t, tool.trace.Supervisor)
				if err := recoverAll(machine{root: "/"}); err != nil {
					t.Fatal(err)
				}
			}
			// Two seconds in looks, which take longer where the load's end does.
			var left []string
			for range 200 {
				if left = tool.trace.left(); len(left) == 0 {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			t.Errorf("after two seconds there is still %s", strings.Join(left, ", "))
		})
	}
	if entries, err := os.ReadDir(machine{root: "/"}.stateDir()); err == nil {
		for _, e := range entries {
			t.Logf("journal of another load: %s", e.Name())
		}
	} else if !os.IsNotExist(err) {
		t.Error(err)
	}
}

// A tool is a process with a load.
type tool struct {
	cmd   *exec.Cmd
	in    interface{ Write([]byte) (int, error) }
	trace trace
}

func startTool(t *testing.T) *tool {
	t.Helper()
	return startToolAs(t, exec.Command("/proc/self/exe", toolArgument))
}

func (p *tool) say(t *testing.T, word string) {
	t.Helper()
	if _, err := fmt.Fprintln(p.in, word); err != nil {
		t.Fatal(err)
	}
}

func (p *tool) kill(t *testing.T, pid int) {
	t.Helper()
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// awaitDead waits for the end of a process that isn't this one's child.
func awaitDead(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if p, err := (machine{root: "/"}).process(pid); err != nil || p.dead {
			return
		}
	}
	t.Fatalf("process %d does not end", pid)
}

// TestASupervisorThatIsAskedToEndBreaksItsLoad: the tool must not go on
// measuring under no load.
func TestASupervisorThatIsAskedToEndBreaksItsLoad(t *testing.T) {
	l := New(Config{Kinds: []Spec{{Kind: "cpu"}}})
	if err := l.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := l.Err(); err != nil {
		t.Error(err)
	}
	if err := unix.Kill(l.Supervisor(), unix.SIGTERM); err != nil {
		t.Error(err)
	}
	select {
	case <-l.ended:
	case <-time.After(10 * time.Second):
		t.Error("the supervisor does not end")
	}
	if err := l.Err(); err == nil || !strings.Contains(err.Error(), "supervisor ended") {
		t.Errorf("the load's error is %v", err)
	}
	if err := l.Stop(); err == nil {
		t.Error("stopping it tells nothing")
	}
}

// TestJournalOfALiveLoadIsLeftAlone starts a second load beside a first.
func TestJournalOfALiveLoadIsLeftAlone(t *testing.T) {
	tool := startTool(t)
	if err := recoverAll(machine{root: "/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tool.trace.Journal); err != nil {
		t.Error(err)
	}
	for _, dir := range tool.trace.Groups {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
	if n := len(machine{root: "/"}.tagged(filepath.Base(tool.trace.Journal))); n == 0 {
		t.Error("the load's processes are gone")
	}
}

// TestJournalBeginsWhileAnotherEnds: the last one's end removes the directory.
func TestJournalBeginsWhileAnotherEnds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "worstcase")
	var ended atomic.Bool
	var others sync.WaitGroup
	others.Go(func() {
		for !ended.Load() {
			os.Remove(dir)
		}
	})
	for range 1000 {
		j := &journal{path: filepath.Join(dir, "journal")}
		if err := j.begin(); err != nil {
			t.Error(err)
			break
		}
		os.Remove(j.path)
	}
	ended.Store(true)
	others.Wait()
}

// TestTornJournal: nothing but the name of a journal is known.
func TestTornJournal(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "torn": `{"pid":12,`, "of another": `{"pid":12,"start":3}`} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), prefix+"999999999-17")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			j, err := readJournal(path)
			if err != nil {
				t.Fatal(err)
			}
			if j.PID != 999999999 || j.Start != 17 || len(j.Groups) != 0 {
				t.Errorf("got %+v", j)
			}
			if err := j.clean(machine{root: "/"}); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("the journal is still there: %v", err)
			}
		})
	}
	if _, err := readJournal(filepath.Join(t.TempDir(), "nothing")); !os.IsNotExist(err) {
		t.Errorf("got %v", err)
	}
}
