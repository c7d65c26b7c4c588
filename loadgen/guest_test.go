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
					Args:    []string{"loadgen.test", "-test.v", "-test.run", "^(TestEnd|TestJournalOfALiveLoadIsLeftAlone|TestLimits)$"},
					Timeout: 6 * time.Minute,
				},
			)
			if r[0].Status != 0 {
				t.Errorf("status %d:\n%s%s", r[0].Status, r[0].Stdout, r[0].Stderr)
			}
			if passed := regexp.MustCompile(`(?m)^ *--- PASS`).FindAll(r[0].Stdout, -1); len(passed) < 10 {
				t.Errorf("%d tests passed, want all of them:\n%s", len(passed), r[0].Stdout)
			}
			if strings.Contains(string(r[0].Stdout), "no cgroup holds the load") {
				t.Errorf("there was no cgroup:\n%s", r[0].Stdout)
			}
		})
	}
}

// TestMemoryHurtsMostInGuest measures latency under each of the kinds that hurt,
// on a stock kernel in virtual time: there memory is the worst, for stretches
// of kernel code that nothing preempts.
func TestMemoryHurtsMostInGuest(t *testing.T) {
	kinds := []string{"memory", "idle", "fork", "sched", "syscall/short", "net", "pipe", "timer"}
	for _, name := range asked(t, "6.1-amd64") {
		t.Run(name, func(t *testing.T) {
			k := kernels.Get(t, name)
			g := kernels.Guest{Kernel: k, Icount: true, Memory: 1024, Timeout: 20 * time.Minute, Files: map[string]string{
				"/bin/latency": kernels.Build(t, k, "worstcase/cmd/latency"),
			}}
			var commands []kernels.Command
			for _, kind := range kinds {
				commands = append(commands, kernels.Command{
					Args: []string{"latency", "-p", "1000", "-T", "2", "--json", "--load", kind}, Timeout: 5 * time.Minute,
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
			for kind, latency := range worst {
				if kind != "memory" && latency > worst["memory"] {
					t.Errorf("%s hurts more than memory", kind)
				}
			}
		})
	}
}

// asked are the kernels that were asked for, of those that match; it skips the
// test when there is none.
func asked(t *testing.T, want string) []string {
	t.Helper()
	var list []string
	for _, name := range kernels.Asked() {
		if strings.HasSuffix(name, "-amd64") && strings.Contains(name, "-rt-") == strings.Contains(want, "-rt-") {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		kernels.Get(t, want)
	}
	return list
}
