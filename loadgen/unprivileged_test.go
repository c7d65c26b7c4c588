package loadgen

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const nobody = 65534

// TestWithoutCgroup runs a tool as nobody, who may make no cgroup, and kills it.
// The load is then known by its tag.
func TestWithoutCgroup(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	cmd := exec.Command(forEveryone(t), toolArgument)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	tool := startToolAs(t, cmd)
	if len(tool.trace.Groups) != 0 {
		t.Fatalf("nobody could make cgroups: %v", tool.trace.Groups)
	}
	if owner, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(tool.trace.Journal)), "worstcase-")); err != nil || owner != nobody {
		t.Errorf("the journal is %s", tool.trace.Journal)
	}
	name := filepath.Base(tool.trace.Journal)
	m := machine{root: "/"}
	if n := len(m.tagged(name)); n < 40 {
		t.Errorf("the load has %d processes; want some more than the 40 of sched", n)
	}
	tool.kill(t, tool.cmd.Process.Pid)
	var left []string
	for begin := time.Now(); time.Since(begin) < 2*time.Second; time.Sleep(10 * time.Millisecond) {
		if left = tool.trace.left(); len(left) == 0 {
			return
		}
	}
	t.Errorf("after two seconds there is still %s", strings.Join(left, ", "))
}

// forEveryone copies the test's program to where anybody may run it.
func forEveryone(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "loadgen")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(dir, "loadgen.test")
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBudgetIsPutBack runs real-time threads below a cgroup of v1 that has no
// real-time budget, and looks at it while they run and when a killed tool's
// supervisor has cleaned up.
func TestBudgetIsPutBack(t *testing.T) {
	const root = "/sys/fs/cgroup/cpu"
	if !exists(filepath.Join(root, "cpu.rt_runtime_us")) || unix.Access(root, unix.W_OK) != nil {
		t.Skip("this kernel has no RT_GROUP_SCHED, or it needs root")
	}
	outer := filepath.Join(root, "worstcase-test-"+strconv.Itoa(os.Getpid()))
	inner := filepath.Join(outer, "inner")
	for _, dir := range []string{outer, inner} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { removeGroup(dir) })
	}
	cmd := exec.Command("/proc/self/exe", toolArgument, priorityName, inner)
	tool := startToolAs(t, cmd)
	for _, dir := range []string{outer, inner} {
		if now, err := readInt(filepath.Join(dir, "cpu.rt_runtime_us")); err != nil || now != budget {
			t.Errorf("%s has a budget of %d us, %v; want %d", dir, now, err, budget)
		}
	}
	tool.kill(t, tool.cmd.Process.Pid)
	for begin := time.Now(); len(tool.trace.left()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 2*time.Second {
			t.Fatalf("after two seconds there is still %v", tool.trace.left())
		}
	}
	tool.cmd.Wait()
	for _, dir := range []string{outer, inner} {
		if now, err := readInt(filepath.Join(dir, "cpu.rt_runtime_us")); err != nil || now != 0 {
			t.Errorf("%s is left with a budget of %d us, %v; want 0", dir, now, err)
		}
	}
}

// startToolAs starts a tool of runTool and waits until its load runs.
func startToolAs(t *testing.T, cmd *exec.Cmd) *tool {
	t.Helper()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tool := &tool{cmd: cmd, in: in}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		recoverAll(machine{root: "/"})
	})
	if err := json.NewDecoder(out).Decode(&tool.trace); err != nil {
		t.Fatalf("start a tool with a load: %v", err)
	}
	return tool
}
