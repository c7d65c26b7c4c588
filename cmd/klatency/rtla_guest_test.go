package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/internal/kernels"
	"worstcase/results"
	"worstcase/results/importer"
)

// besideRTLA measures with rtla and with both back-ends: our figures read as
// rtla prints them, and are the same.
func besideRTLA() part {
	return part{
		name: "beside rtla", programs: []string{"rtla", "sh"},
		commands: []kernels.Command{
			shell("rtla timerlat hist -c 0 -p 1000 -d 2s -P f:95"),
			shell("klatency --backend timerlat -t 2,1 -p 1000 -P 95 -T 2 -q -o /tmp/a.run >&2; results export --to rtla /tmp/a.run"),
			shell("for t in 2 1; do klatency -t $t -p 1000 -P 95 -T 2 -q -o /tmp/b$t.run >&2; done; results export --to rtla /tmp/b2.run /tmp/b1.run"),
		},
		check: readAlike,
	}
}

func readAlike(t *testing.T, r []kernels.Result) {
	var all []map[string]results.Total
	for i, who := range []string{"rtla", "timerlat", "eBPF"} {
		if r[i].Status != 0 {
			t.Fatalf("%s: status %d: %s%s", who, r[i].Status, r[i].Error, r[i].Stderr)
		}
		all = append(all, exported(t, r[i].Stdout))
		t.Logf("%s, in instructions:\n%s", who, r[i].Stdout)
	}
	for i, got := range all[1:] {
		if diff := cmp.Diff(labels(r[0].Stdout), labels(r[1+i].Stdout)); diff != "" {
			t.Errorf("lines (-rtla +ours):\n%s", diff)
		}
		for context, want := range all[0] {
			a, b := want.Histogram.Quantile(0.5), got[context].Histogram.Quantile(0.5)
			if d := max(a-b, b-a); d > 2000 && d*10 > a {
				t.Errorf("%s: median %d ns, rtla's %d", context, b, a)
			}
		}
	}
}

// exported reads rtla's text.
func exported(t *testing.T, text []byte) map[string]results.Total {
	t.Helper()
	runs, _, err := importer.Read(text, importer.Options{})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v in\n%s", len(runs), err, text)
	}
	all := map[string]results.Total{}
	for _, total := range runs[0].Totals() {
		if total.Samples() < 900 {
			t.Errorf("%d samples in\n%s", total.Samples(), text)
		}
		all[total.Labels["context"]] = total
	}
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, []string{"irq", "thread"}) {
		t.Fatalf("contexts %v in\n%s", got, text)
	}
	return all
}

// labels are the lines that have no figures, and the first words of the others
// but for the histogram's. Older versions have no sums of all CPUs.
func labels(text []byte) (names []string) {
	before, _, _ := bytes.Cut(text, []byte("ALL:"))
	for line := range strings.Lines(string(before)) {
		switch first, _, _ := strings.Cut(line, " "); {
		case strings.HasPrefix(line, "# Duration"):
			names = append(names, "# Duration")
		case first == "#", first == "Index":
			names = append(names, line)
		case strings.HasSuffix(first, ":"):
			names = append(names, first)
		}
	}
	return names
}
