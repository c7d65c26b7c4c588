package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// Each format has its own target, so that each gets its own time and corpus:
// the samples of that format, and testdata/fuzz.

func FuzzRTTestsJSON(f *testing.F)       { fuzz(f, "rt-tests-json") }
func FuzzJitterdebugger(f *testing.F)    { fuzz(f, "jitterdebugger") }
func FuzzOSADL(f *testing.F)             { fuzz(f, "osadl") }
func FuzzRteval(f *testing.F)            { fuzz(f, "rteval") }
func FuzzRTLAHist(f *testing.F)          { fuzz(f, "rtla-hist") }
func FuzzTimerlatTop(f *testing.F)       { fuzz(f, "rtla-timerlat-top") }
func FuzzOsnoiseTop(f *testing.F)        { fuzz(f, "rtla-osnoise-top") }
func FuzzTimerlatTrace(f *testing.F)     { fuzz(f, "timerlat-trace") }
func FuzzHwlatTrace(f *testing.F)        { fuzz(f, "hwlat-trace") }
func FuzzHwlatdetect(f *testing.F)       { fuzz(f, "hwlatdetect") }
func FuzzOslat(f *testing.F)             { fuzz(f, "oslat") }
func FuzzRTMigrateTest(f *testing.F)     { fuzz(f, "rt-migrate-test") }
func FuzzStressNG(f *testing.F)          { fuzz(f, "stress-ng") }
func FuzzCyberBenchmark(f *testing.F)    { fuzz(f, "cyber-benchmark") }
func FuzzCyberReport(f *testing.F)       { fuzz(f, "cyberrt-report") }
func FuzzSwitchtest(f *testing.F)        { fuzz(f, "switchtest") }
func FuzzGnuplot(f *testing.F)           { fuzz(f, "gnuplot") }
func FuzzCyclictest(f *testing.F)        { fuzz(f, "cyclictest") }
func FuzzPairs(f *testing.F)             { fuzz(f, "rt-tests") }
func FuzzTable(f *testing.F)             { fuzz(f, "table") }
func FuzzJitterdebuggerRaw(f *testing.F) { fuzz(f, "jitterdebugger-raw") }

// FuzzSniff reads whatever it is.
func FuzzSniff(f *testing.F) { fuzz(f, "") }

// fuzz reads texts as the named format. No text may make the reader panic or
// take more memory than it is allowed, and what it reads must be whole.
func fuzz(f *testing.F, name string) {
	for _, file := range sampleFiles(f) {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		golden, _ := os.ReadFile(file + ".golden")
		if name == "" || bytes.HasPrefix(golden, []byte("format "+name+"\n")) {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o := Options{Format: name}
		runs, err := measured(t, text, o)
		if errors.Is(err, foreign.ErrUnit) {
			o.Unit = time.Microsecond
			runs, err = measured(t, text, o)
		}
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		for _, r := range runs {
			checkWhole(t, r)
		}
	})
}

// allowed is the memory that reading a text may take.
func allowed(text []byte) uint64 { return 1<<20 + 10*uint64(len(text)) }

// measured reads text and holds it to its memory, of which everything allocated
// meanwhile counts, garbage too.
func measured(t *testing.T, text []byte, o Options) ([]*results.Run, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	runs, name, err := Read(text, o)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > allowed(text) {
		t.Errorf("%d bytes of %s took %d bytes of memory", len(text), name, took)
	}
	return runs, err
}

// checkWhole checks what every run must be.
func checkWhole(t *testing.T, r *results.Run) {
	t.Helper()
	if r.End == nil {
		t.Fatal("a run without end")
	}
	if r.Label == "" || r.Tool == "" {
		t.Errorf("label %q, tool %q", r.Label, r.Tool)
	}
	for i, total := range r.Totals() {
		if total.ID != i {
			t.Errorf("series %d has id %d", i, total.ID)
		}
		if total.Count < 0 || total.Overruns < 0 || total.Lost < 0 {
			t.Errorf("negative counts in %+v", total)
		}
		if h := total.Histogram; h != nil && (total.Missing.Has(results.NoCount) || h.Count() != total.Count) {
			t.Errorf("histogram of %d samples, count %d", h.Count(), total.Count)
		}
		if total.Histogram == nil && !total.Missing.Has(results.NoP50) {
			t.Error("percentiles without a histogram")
		}
	}
	for _, iv := range r.Intervals {
		if iv.Series < 0 || iv.Series >= len(r.Header.Series) || iv.Count < 0 || iv.At <= 0 {
			t.Errorf("interval %+v", iv)
		}
	}
	for _, s := range r.Spikes {
		if s.Series < 0 || s.Series >= len(r.Header.Series) {
			t.Errorf("spike %+v", s)
		}
	}
	if _, err := json.Marshal(r.End); err != nil {
		t.Errorf("end has no JSON form: %v", err)
	}
	if _, err := json.Marshal(r.Header); err != nil {
		t.Errorf("header has no JSON form: %v", err)
	}
}
