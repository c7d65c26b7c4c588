package klatency_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"worstcase/internal/kernels"
)

// TestTruthInGuest runs this package's own tests where the kernel has timerlat
// and osnoise, and nothing else runs: both instruments against each other, and
// both against a thread that says itself what it took. The guest's clock counts
// instructions.
func TestTruthInGuest(t *testing.T) {
	if len(kernels.Asked()) == 0 {
		kernels.Get(t, "6.1-rt-amd64")
	}
	for _, name := range kernels.Asked() {
		if !strings.Contains(name, "-rt-") || strings.HasSuffix(name, "armmp") {
			continue // no timerlat, no BTF
		}
		t.Run(name, func(t *testing.T) {
			k := kernels.Get(t, name)
			g := kernels.Guest{Kernel: k, Icount: true, Timeout: 8 * time.Minute, Files: map[string]string{
				"/bin/klatency.test": kernels.BuildTest(t, k, "worstcase/klatency"),
			}}
			r := g.Run(t, kernels.Command{
				Args: []string{"klatency.test", "-test.v", "-test.run", "^(TestTimerlatWakeups|TestNoiseOfAHog)$"}, Timeout: 6 * time.Minute,
			})[0]
			t.Logf("%s", r.Stdout)
			if passed := regexp.MustCompile(`(?m)^ *--- PASS`).FindAll(r.Stdout, -1); r.Status != 0 || len(passed) != 4 {
				t.Errorf("status %d, %d tests passed: %s%s", r.Status, len(passed), r.Error, r.Stderr)
			}
			hogs := regexp.MustCompile(`the hog (\S+) %`).FindAllSubmatch(r.Stdout, -1)
			if len(hogs) != 2 {
				t.Fatalf("%d hogs", len(hogs))
			}
			for _, hog := range hogs {
				if percent, err := strconv.ParseFloat(string(hog[1]), 64); err != nil || percent < 1.8 || percent > 2.2 {
					t.Errorf("200 us every 10 ms are reported as %s %%, want 2 give or take 0.2", hog[1])
				}
			}
		})
	}
}
