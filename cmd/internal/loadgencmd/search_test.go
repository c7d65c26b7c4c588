package loadgencmd

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"worstcase/loadgen"
)

func ranked() []loadgen.Ranked {
	memory, net := loadgen.Spec{Kind: "memory", Count: loadgen.PerCPU}, loadgen.Spec{Kind: "net", Count: loadgen.PerCPU}
	return []loadgen.Ranked{
		{Name: "memory,net", Specs: []loadgen.Spec{memory, net}, Rounds: []float64{900_000, 901_000, 850_000}, Median: 900_000},
		{Name: "memory", Specs: []loadgen.Spec{memory}, Rounds: []float64{800_000, 860_000, 700_000}, Median: 800_000, Tied: true},
		{Name: "idle", Rounds: []float64{30_000, 31_000, 29_000}, Median: 30_000},
		{Name: "net", Specs: []loadgen.Spec{net}, Rounds: []float64{20_000, 40_000, 20_000}, Median: 20_000, Tied: true},
		{Name: "io", Err: errors.New("no disk")},
	}
}

func TestRankingIsPrinted(t *testing.T) {
	const head = "# latency p99.99 in us, median of rounds; ~ not shown to be less than the line above\n"
	for name, tt := range map[string]struct {
		ranked []loadgen.Ranked
		want   string
	}{
		"some hurt": {ranked(), head + `# 2 of 4 loads hurt more than idle in every round
  1        900.0  memory,net              900.0    901.0    850.0
  2 ~      800.0  memory                  800.0    860.0    700.0
  3         30.0  idle                     30.0     31.0     29.0
  4 ~       20.0  net                      20.0     40.0     20.0
  -             -  io                   no disk
`},
		"none hurts": {ranked()[2:4], head + `# no load is shown to hurt more than idle: search while nothing else runs, or with more --rounds or a longer -T
  1         30.0  idle                     30.0     31.0     29.0
  2 ~       20.0  net                      20.0     40.0     20.0
`},
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := printRanking(&got, tt.ranked); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSavedRankingIsALoad reads what was saved as --profile and --load do.
func TestSavedRankingIsALoad(t *testing.T) {
	var text bytes.Buffer
	if err := saveRanking(&text, ranked()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "worst.yaml")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := loadgen.Resolve(file)
	if err != nil {
		t.Fatalf("%v in\n%s", err, &text)
	}
	if diff := cmp.Diff(loadgen.Config{Name: "memory+net", Kinds: ranked()[0].Specs}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
