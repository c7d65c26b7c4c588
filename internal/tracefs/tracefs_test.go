package tracefs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/internal/remedy"
	"worstcase/internal/tracefs/tracefstest"
)

// TestMain serves as the process that is killed, too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "change-and-wait" {
		f, err := Open()
		if err == nil {
			err = change(f)
		}
		if err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		defer runtime.KeepAlive(f) // else the collector closes its file, which is its lock
		os.Stdout.WriteString("changed\n")
		select {}
	}
	m.Run()
}

// change sets some of everything.
func change(f *FS) error {
	instance, err := f.Instance()
	return errors.Join(
		err,
		f.Set(instance+"/events/sched/sched_switch/enable", "1"),
		f.Set(instance+"/current_tracer", "nop"),
		f.Set("trace_clock", "mono"),
		f.Set("tracing_thresh", "77"),
		f.Set("tracing_thresh", "78"),
		f.Set("tracing_on", "0"),
	)
}

func open(t *testing.T) *FS {
	t.Helper()
	f, err := Open()
	if errors.Is(err, remedy.ErrUnavailable) {
		t.Skipf("%v: %v", remedy.ErrUnavailable, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func settings(t *testing.T, f *FS) map[string]string {
	t.Helper()
	all, err := tracefstest.Settings(f.Path("."))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPutBack(t *testing.T) {
	f := open(t)
	before := settings(t, f)
	if err := change(f); err != nil {
		t.Fatal(err)
	}
	if got, _ := f.Read("tracing_thresh"); got != "78" {
		t.Errorf("tracing_thresh is %s", got)
	}
	if cmp.Equal(before, settings(t, f)) {
		t.Error("nothing has changed")
	}
	if err := f.restore(&f.state); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, settings(t, f)); diff != "" {
		t.Errorf("settings (-before +after):\n%s", diff)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestPutBackAfterKill(t *testing.T) {
	f := open(t)
	before := settings(t, f)
	cmd := exec.Command("/proc/self/exe", "change-and-wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 256)
	if n, _ := out.Read(line); string(line[:n]) != "changed\n" {
		t.Fatalf("the other process says %q", line[:n])
	}
	next, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	next.Close()
	if cmp.Equal(before, settings(t, f)) {
		t.Error("the settings of a living process were put back")
	}
	cmd.Process.Kill()
	cmd.Wait()
	next, err = Open()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, settings(t, f)); diff != "" {
		t.Errorf("settings (-before +after):\n%s", diff)
	}
	next.Close()
	f.Close()
	if left, _ := filepath.Glob(filepath.Join(folder, "trace-*.json")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestMounted(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"not at all", "22 1 0:20 / /sys rw shared:1 - sysfs sysfs rw", ""},
		{"by itself", "30 22 0:11 / /sys/kernel/tracing rw,nosuid shared:9 - tracefs tracefs rw", "/sys/kernel/tracing"},
		{"without optional fields", "30 22 0:11 / /a\\040b rw - tracefs none rw", "/a b"},
		{"a part of it", "30 22 0:11 /instances/x /mnt rw - tracefs tracefs rw", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "mountinfo")
			os.WriteFile(file, []byte(test.line+"\n"), 0o600)
			if got, err := mounted(file); got != test.want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
}
