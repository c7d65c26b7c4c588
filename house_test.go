package worstcase_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A rule is an arrow of the house that must not be drawn.
type rule struct {
	name string
	// who are the packages that the rule binds, by path prefix within the module.
	who []string
	// never is what they must not depend on, by path prefix.
	never []string
}

func rules() []rule {
	measuring := []string{"latency", "switchbench", "klatency", "transport", "bringup"}
	others := func(name string) []string {
		var list []string
		for _, m := range append(measuring, "loadgen") {
			if m != name {
				list = append(list, "worstcase/"+m)
			}
		}
		return list
	}
	heavy := []string{
		"worstcase/results/render", "worstcase/results/plot", "worstcase/results/report",
		"github.com/olekukonko/tablewriter", "gonum.org/", "github.com/containerd/cgroups", "github.com/vishvananda",
	}
	var list []rule
	for _, m := range measuring {
		list = append(list, rule{m + " measures and does not show", []string{m}, append(others(m), heavy...)})
	}
	return append(
		list,
		rule{"commands only wire", []string{"latency", "session", "sampler", "results", "rtsched", "host", "loadgen"}, []string{"worstcase/cmd/"}},
		rule{"loadgen knows no results", []string{"loadgen"}, []string{"worstcase/results", "worstcase/session", "worstcase/latency"}},
		rule{"only loadgen knows cgroups and network devices", []string{"rtsched", "sampler", "session", "results", "host"}, []string{"github.com/containerd/cgroups", "github.com/vishvananda"}},
		rule{"results knows nothing of measuring", []string{"results"}, []string{"worstcase/rtsched", "worstcase/sampler", "worstcase/session", "worstcase/host"}},
		rule{"sampler knows threads only", []string{"sampler", "rtsched"}, []string{"worstcase/results", "worstcase/session", "worstcase/host", "github.com/spf13/pflag"}},
		rule{"the samplers' command stays lean", []string{"cmd/latency"}, []string{
			"worstcase/results/plot", "worstcase/results/report", "worstcase/results/compare", "gonum.org/", "github.com/nats-io", "google.golang.org/grpc",
		}},
	)
}

// TestArrows asks the go command whether the house's arrows hold, for each
// package that there is.
func TestArrows(t *testing.T) {
	packages := list(t, "./...")
	for _, r := range rules() {
		t.Run(r.name, func(t *testing.T) {
			for _, who := range r.who {
				for _, p := range packages {
					if p == "worstcase/"+who {
						check(t, p, r.never)
					}
				}
			}
		})
	}
}

func check(t *testing.T, pkg string, never []string) {
	t.Helper()
	for _, dep := range list(t, "-deps", pkg) {
		if slices.ContainsFunc(never, func(n string) bool { return dep == n || strings.HasPrefix(dep, strings.TrimSuffix(n, "/")+"/") }) {
			t.Errorf("%s depends on %s", pkg, dep)
		}
	}
}

func list(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatalf("go list %v: %v", args, err)
	}
	return strings.Fields(string(out))
}

// TestMainsOnlyCall keeps the commands' mains to the manual and the call.
func TestMainsOnlyCall(t *testing.T) {
	for _, p := range list(t, "./cmd/...") {
		if strings.Contains(p, "/internal/") {
			continue
		}
		if files := list(t, "-f", "{{len .GoFiles}}", p); files[0] != "1" {
			t.Errorf("%s has %s files, want main.go alone", p, files[0])
		}
	}
}
