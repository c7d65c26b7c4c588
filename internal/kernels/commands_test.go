package kernels_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
	"worstcase/results"
)

// An expectation is what a command must do in a guest.
type expectation struct {
	command string
	status  int
	// stdout and stderr are regular expressions that must match somewhere.
	stdout, stderr string
	// needs is what the kernel must have, see lacks.
	needs string
}

// row is a line of Xenomai's table without overruns, of so many seconds.
const row = `(?m)^RTS\|( +-?\d+\.\d{3}\|){3} +0\|.*\| +00:00:0%s/00:00:0%s$`

func rts(seconds string) string { return strings.ReplaceAll(row, "%s", seconds) }

func expectations() []expectation {
	return []expectation{
		{command: "latency -p 1000 -T 2 -o /tmp/a.run", stdout: rts("2")},
		{command: "latency -p 1000 -T 1 -q --max 1us", status: 3, stdout: rts("1")},
		{command: "latency --no-such-flag", status: 2, stderr: "hint:"},
		{command: "latency -p 1000 -T 1 -q --policy deadline", stdout: "SCHED_DEADLINE|RTS"},
		{command: "latency -p 1000 -T 1 --stages", stdout: "run queue", needs: "BTF"},
		{command: "latency -p 1000 -T 1 --stages", status: 4, stderr: "hint:", needs: "no BTF"},
		{command: "klatency -p 1000 -T 1", stdout: `(?m)^RTS\|`, needs: "BTF"},
		{command: "klatency -p 1000 -T 1 -t 2", stdout: `(?m)^RTS\|`, needs: "BTF"},
		{command: "klatency -p 1000 -T 1", status: 4, stderr: "hint:", needs: "no BTF"},
		{command: "klatency -p 1000 -T 1 --backend timerlat", stdout: `(?m)^RTS\|`, needs: "timerlat"},
		{command: "klatency -p 1000 -T 1 --backend timerlat", status: 4, stderr: "hint:", needs: "no timerlat"},
		{command: "loadgen --list", stdout: "fork"},
		{command: "results show /tmp/a.run", stdout: "p99.9"},
		{command: "results show /nowhere.run", status: 1, stderr: "nowhere.run"},
	}
}

// lacks tells whether an expectation is none for a kernel: Debian's armhf
// kernels have no BTF, and its stock kernels no timerlat tracer.
func lacks(k *kernels.Kernel, needs string) bool {
	has := map[string]bool{"BTF": k.Arch() != "arm", "timerlat": strings.Contains(k.Name, "-rt-")}
	what, without := strings.CutPrefix(needs, "no ")
	return needs != "" && has[what] == without
}

// TestCommandsInGuest runs the commands as root in guests whose clock counts
// instructions, and reads what they print and the run log.
func TestCommandsInGuest(t *testing.T) {
	if len(kernels.Asked()) == 0 {
		kernels.Get(t, reduced)
	}
	for _, name := range kernels.Asked() {
		t.Run(name, func(t *testing.T) {
			k := kernels.Get(t, name)
			g := kernels.Guest{Kernel: k, Icount: true, Timeout: 5 * time.Minute, Files: map[string]string{}}
			for _, tool := range []string{"latency", "klatency", "loadgen", "results"} {
				g.Files["/bin/"+tool] = kernels.Build(t, k, "worstcase/cmd/"+tool)
			}
			expect := slices.DeleteFunc(expectations(), func(e expectation) bool { return lacks(k, e.needs) })
			var commands []kernels.Command
			for _, e := range expect {
				commands = append(commands, kernels.Command{Args: strings.Fields(e.command), Collect: []string{"/tmp/a.run"}, Timeout: 3 * time.Minute})
			}
			r := g.Run(t, commands...)
			for i, e := range expect {
				if r[i].Status != e.status || !regexp.MustCompile(e.stdout).Match(r[i].Stdout) || !regexp.MustCompile(e.stderr).Match(r[i].Stderr) {
					t.Errorf("%s: status %d, want %d; it said %s%s%s", e.command, r[i].Status, e.status, r[i].Error, r[i].Stdout, r[i].Stderr)
				}
			}
			checkLog(t, k, r[0].Files["/tmp/a.run"])
		})
	}
}

// checkLog reads the log of two seconds at 1 kHz.
func checkLog(t *testing.T, k *kernels.Kernel, log []byte) {
	t.Helper()
	runs, err := results.ReadFrom(results.KeepFigures, bytes.NewReader(log), "a.run")
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if got := runs[0].Host["kernel.release"]; got != k.Release {
		t.Errorf("the log is of kernel %q", got)
	}
	total := runs[0].Totals()[0]
	if total.Samples() != 2000 || total.Min <= 0 || total.Overruns != 0 {
		t.Errorf("%d samples, minimum %d ns, %d overruns; want 2000, positive, none", total.Samples(), total.Min, total.Overruns)
	}
	t.Logf("in instructions, no latency of a machine: min %d mean %.0f max %d ns", total.Min, total.Mean(), total.Max)
}
