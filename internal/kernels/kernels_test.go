package kernels_test

import (
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
)

// reduced is the kernel that is part of every test run that asks for kernels.
const reduced = "6.1-rt-amd64"

func TestGuest(t *testing.T) {
	if len(kernels.Asked()) == 0 {
		kernels.Get(t, reduced)
	}
	for _, name := range kernels.Asked() {
		t.Run(name, func(t *testing.T) {
			k := kernels.Get(t, name)
			g := kernels.Guest{Kernel: k, Files: map[string]string{"/bin/echo": kernels.Build(t, k, "worstcase/internal/kernels/testdata/echo")}}
			r := g.Run(t,
				kernels.Command{Args: []string{"echo", "hello"}, Stdin: []byte("in\n"), Collect: []string{"/tmp/file", "/proc/sys/kernel/osrelease", "/nowhere"}},
				kernels.Command{Args: []string{"echo", "-status", "7"}},
				kernels.Command{Args: []string{"nothing"}},
				kernels.Command{Args: []string{"echo", "-sleep", "1h"}, Timeout: time.Second},
			)
			if len(r) != 4 {
				t.Fatalf("%d results", len(r))
			}
			if r[0].Status != 0 || string(r[0].Stdout) != "hello\nin\n" || string(r[0].Stderr) != "to stderr\n" {
				t.Errorf("the first command gave %d, %q, %q, %s", r[0].Status, r[0].Stdout, r[0].Stderr, r[0].Error)
			}
			if got := strings.TrimSpace(string(r[0].Files["/proc/sys/kernel/osrelease"])); got != k.Release {
				t.Errorf("the guest runs %q, not %q", got, k.Release)
			}
			if string(r[0].Files["/tmp/file"]) != "kept\n" || len(r[0].Files) != 2 {
				t.Errorf("files %q", r[0].Files)
			}
			if r[1].Status != 7 || r[1].Error != "" {
				t.Errorf("the second command gave %d, %q", r[1].Status, r[1].Error)
			}
			if r[2].Status != -1 || r[2].Error == "" {
				t.Errorf("what is not there gave %d, %q", r[2].Status, r[2].Error)
			}
			if r[3].Status != -1 || r[3].Took < time.Second {
				t.Errorf("what does not end gave %d after %v", r[3].Status, r[3].Took)
			}
		})
	}
}

// TestIcountRepeats runs the same work twice and asks for the same time.
func TestIcountRepeats(t *testing.T) {
	k := kernels.Get(t, reduced)
	g := kernels.Guest{Kernel: k, Icount: true, Files: map[string]string{"/bin/echo": kernels.Build(t, k, "worstcase/internal/kernels/testdata/echo")}}
	var took []time.Duration
	for range 2 {
		took = append(took, g.Run(t, kernels.Command{Args: []string{"echo", "-sleep", "5s"}})[0].Took)
	}
	for _, d := range took {
		if d < 5*time.Second || d > 6*time.Second {
			t.Errorf("a sleep of 5 s of the guest's time took %v of it", d)
		}
	}
	if d := (took[0] - took[1]).Abs(); d > 50*time.Millisecond {
		t.Errorf("twice the same took %v", took)
	}
}

func TestGuestThatPanics(t *testing.T) {
	k := kernels.Get(t, reduced)
	g := kernels.Guest{Kernel: k, Files: map[string]string{"/bin/echo": kernels.Build(t, k, "worstcase/internal/kernels/testdata/echo")}}
	_, err := kernels.Try(t, &g, kernels.Command{Args: []string{"echo", "-panic"}})
	if err == nil || !strings.Contains(err.Error(), "the guest died") || !strings.Contains(err.Error(), "sysrq triggered crash") {
		t.Errorf("a panic gave %v", err)
	}
}

func TestFetchNamesWhatThereIs(t *testing.T) {
	if _, err := kernels.Fetch("7.0-rt-vax"); err == nil || !strings.Contains(err.Error(), reduced) {
		t.Errorf("an unknown kernel gave %v", err)
	}
}
