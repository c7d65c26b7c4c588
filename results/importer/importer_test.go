package importer

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"worstcase/internal/golden"
	"worstcase/results"
)

var update = flag.Bool("update", false, "write the golden files")

// describe writes runs as the golden files have them: every record, of a
// histogram its samples and some quantiles, of intervals only the first three.
func describe(t *testing.T, runs []*results.Run) string {
	t.Helper()
	var b strings.Builder
	line := func(kind string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", kind, text)
	}
	for _, r := range runs {
		line("run", r.Header)
		for _, iv := range r.Intervals[:min(len(r.Intervals), 3)] {
			line("interval", iv)
		}
		if n := len(r.Intervals); n > 3 {
			fmt.Fprintf(&b, "… %d intervals in all\n", n)
		}
		for _, s := range r.Spikes {
			line("spike", s)
		}
		end := *r.End
		end.Series = nil
		line("end", end)
		for _, total := range r.Totals() {
			h := total.Histogram
			total.Histogram = nil
			line("series", total)
			if h == nil {
				continue
			}
			fmt.Fprintf(&b, "histogram count %d above %d", h.Count(), h.Overflow())
			for _, q := range []float64{0, 0.5, 0.9, 0.99, 0.999, 1} {
				fmt.Fprintf(&b, " q%v %d", q, h.Quantile(q))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, file := range sampleFiles(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			runs, format, err := Read(text, Options{File: file})
			got := fmt.Sprintln("format", format)
			if err != nil {
				got += fmt.Sprintln("error", err)
			}
			got += describe(t, runs)
			golden.Check(t, file+".golden", got, *update)
		})
	}
}

// sampleFiles are the files that tools wrote.
func sampleFiles(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && !info.IsDir() && !strings.HasSuffix(file, ".golden") {
			list = append(list, file)
		}
	}
	if len(list) < 40 {
		t.Fatalf("only %d samples in testdata", len(list))
	}
	return list
}

// TestEndless reads what never ends: of no format, and of one.
func TestEndless(t *testing.T) {
	for head, want := range map[string]error{"": ErrFormat, "RTS|1.000|2.000|3.000|0|0|00:00:10/00:00:10\n": ErrLarge} {
		in := io.MultiReader(strings.NewReader(head), endlessly(0))
		if _, err := readFrom(in, Options{}, 1<<20); !errors.Is(err, want) {
			t.Errorf("%q and no end: %v, want %v", head, err, want)
		}
	}
}

// endlessly is a reader of one byte again and again.
type endlessly byte

func (e endlessly) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
