package loadgen_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
)

// TestUnifiedInGuest runs this package's own tests in guests, where cgroup v2
// holds all controllers: which loads end, what they leave, what limits hold.
func TestUnifiedInGuest(t *testing.T) {
	for _, name := range asked(t, "6.1-rt-amd64") {
		t.Run(name, func(t *testing.T) {
			k := kernels.Get(t, name)
			g := kernels.Guest{Kernel: k, CPUs: 2, Memory: 2048, Timeout: 8 * time.Minute, Files: map[string]string{
				"/bin/loadgen.test": kernels.BuildTest(t, k, "worstcase/loadgen"),
			}}
			kernels.Installed(t, k, g.Files, "sh")
			kernels.Installed(t, k, g.Files, "sleep")
			r := g.Run(t,
				kernels.Command{
					Args:    []string{"loadgen.test", "-test.v", "-test.run", "^TestEnd$/^(stop|kill|supervisor_killed|both_killed)$|^TestJournalOfALiveLoadIsLeftAlone$|^TestLimits$"},
					Timeout: 6 * time.Minute,
				},
			)
			if r[0].Status != 0 {
				t.Errorf("status %d:\n%s%s", r[0].Status, r[0].Stdout, r[0].Stderr)
			}
			if passed := regexp.MustCompile(`(?m)^ *--- PASS`).FindAll(r[0].Stdout, -1); len(passed) != 7 {
				t.Errorf("%d tests passed, want all of them:\n%s", len(passed), r[0].Stdout)
			}
			if strings.Contains(string(r[0].Stdout), "no cgroup holds the load") {
				t.Errorf("there was no cgroup:\n%s", r[0].Stdout)
			}
		})
	}
}

// TestMemoryHurtsMostInGuest measures latency under some of the kinds in virtual
// time. On a stock kernel memory is the worst, for stretches of kernel code that
// nothing preempts; under PREEMPT_RT none hurts.
func TestMemoryHurtsMostInGuest(t *testing.T) {
	for _, name := range asked(t, "6.1-amd64") {
		t.Run(name, func(t *testing.T) {
			worst := worstInGuest(t, name)
			for kind, latency := range worst {
				if kind != "memory" && latency > worst["memory"] {
					t.Errorf("%s hurts more than memory", kind)
				}
			}
		})
	}
	for _, name := range alike("6.1-rt-amd64") {
		t.Run(name, func(t *testing.T) {
			worst := worstInGuest(t, name)
			for kind, latency := range worst {
				if latency > 3*worst["idle"] {
					t.Errorf("%s hurts more than three times as much as idle", kind)
				}
			}
		})
	}
}

// worstInGuest is the maximum in ns that latency finds under each of some kinds.
func worstInGuest(t *testing.T, name string) map[string]float64 {
	t.Helper()
	kinds := []string{"memory", "idle", "fork", "sched", "syscall/short", "net", "pipe", "timer"}
	k := kernels.Get(t, name)
	g := kernels.Guest{Kernel: k, Icount: true, Memory: 1024, Timeout: 20 * time.Minute, Files: map[string]string{
		"/bin/latency": kernels.Build(t, k, "worstcase/cmd/latency"),
	}}
	var commands []kernels.Command
	for _, kind := range kinds {
		commands = append(commands, kernels.Command{
			Args: []string{"latency", "-p", "1000", "-T", "1", "--json", "--load", kind}, Timeout: 5 * time.Minute,
		})
	}
	worst := map[string]float64{}
	for i, r := range g.Run(t, commands...) {
		var doc struct {
			Series []struct {
				Max float64 `json:"max_ns"`
			} `json:"series"`
		}
		if err := json.Unmarshal(r.Stdout, &doc); err != nil || r.Status != 0 || len(doc.Series) != 1 {
			t.Fatalf("under load %s: status %d, %v: %s", kinds[i], r.Status, err, r.Stderr)
		}
		worst[kinds[i]] = doc.Series[0].Max
		t.Logf("in instructions, no latency of a machine: max %.1f us under load %s", worst[kinds[i]]/1000, kinds[i])
	}
	return worst
}

// asked are the kernels that were asked for and are like the one wanted; it skips
// the test when there is none.
func asked(t *testing.T, want string) []string {
	t.Helper()
	list := alike(want)
	if len(list) == 0 {
		kernels.Get(t, want)
	}
	return list
}

// alike are the kernels that were asked for, with PREEMPT_RT or without as want.
func alike(want string) []string {
	var list []string
	for _, name := range kernels.Asked() {
		if strings.HasSuffix(name, "-amd64") && strings.Contains(name, "-rt-") == strings.Contains(want, "-rt-") {
			list = append(list, name)
		}
	}
	return list
}
