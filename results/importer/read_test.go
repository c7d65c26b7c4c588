package importer

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
	"worstcase/results/foreign"
)

// figuresOf is what tables show of a run: its label, and -1 for what is missing.
type figuresOf struct {
	Tool, Label              string
	Min, Mean, Max, Overruns int64
	Seconds                  float64
}

func figures(runs []*results.Run) []figuresOf {
	var list []figuresOf
	for _, r := range runs {
		for _, t := range r.Totals() {
			f := figuresOf{r.Tool, r.Label, t.Min, int64(t.Mean()), t.Max, t.Overruns, r.Seconds()}
			for _, m := range []struct {
				set   results.Missing
				field *int64
			}{{results.NoMin, &f.Min}, {results.NoMean, &f.Mean}, {results.NoMax, &f.Max}, {results.NoOverruns, &f.Overruns}} {
				if t.Missing.Has(m.set) {
					*m.field = -1
				}
			}
			list = append(list, f)
		}
	}
	return list
}

func mustRead(t *testing.T, text string, o Options) []*results.Run {
	t.Helper()
	runs, _, err := Read([]byte(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// TestStopTracing reads what rtla tells of the latency that it stopped at.
func TestStopTracing(t *testing.T) {
	runs := mustRead(t, "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:00:07\n"+
		"Index   IRQ-001   Thr-001\n0           121         0\n5             3       124\nover:         0         1\n"+
		"count:      124       125\nmin:          0         5\navg:          1         6\nmax:          7      3036\n"+
		"rtla timerlat hit stop tracing\n## CPU 1 hit stop tracing, analyzing it ##\n"+
		"  IRQ handler delay:                            2.15 us (0.07 %)\n  Blocking thread:   3000.10 us (98.81 %)\n"+
		"                   stress-ng:1234    3000.10 us\n  Thread latency:     3036.35 us (100%)\n", Options{})
	want := []results.Spike{{
		Series: 1, Latency: 3_036_350, Blamed: "stress-ng:1234",
		Stages: map[string]int64{"irq_handler_delay": 2150, "blocking_thread": 3_000_100},
	}}
	if diff := cmp.Diff(want, runs[0].Spikes); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(runs[0].End.Warnings) != 1 {
		t.Errorf("warnings %q", runs[0].End.Warnings)
	}
}

// TestUnit asks for a unit only where neither the text nor physics tells it.
func TestUnit(t *testing.T) {
	histogram := func(least string) string {
		return "# Histogram\n000" + least + " 000005\n# Total: 000000005\n# Min Latencies: 00" + least +
			"\n# Avg Latencies: 00" + least + "\n# Max Latencies: 00" + least + "\n# Histogram Overflows: 00000\n"
	}
	for _, tc := range []struct {
		name, text string
		unit       time.Duration
		want       int64
		err        error
	}{
		{name: "a minimum that can't be ns", text: histogram("099"), want: 99_000},
		{name: "a minimum that can be either", text: histogram("100"), err: foreign.ErrUnit},
		{name: "the same, told", text: histogram("100"), unit: time.Nanosecond, want: 100},
		{name: "a command line", text: "$ cyclictest -mqN -h400\n" + histogram("100"), want: 100},
		{name: "another", text: "$ cyclictest -mq -h400\n" + histogram("100"), want: 100_000},
		{
			name: "five digits for Act", want: 500_000,
			text: "T: 0 (  123) P:80 I:1000 C:   2000 Min:    500 Act:  515 Avg:  520 Max:     666\n",
		},
		{
			name: "eight digits for Act", want: 500,
			text: "T: 0 (  123) P:80 I:1000 C:   2000 Min:    500 Act:     515 Avg:     520 Max:     666\n",
		},
		{
			name: "a histogram of rtla whose header lost its unit", err: foreign.ErrUnit,
			text: "Index   IRQ-000\n0           121\nover:         0\ncount:      121\nmin:          5\navg:          7\nmax:          9\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			runs, _, err := Read([]byte(tc.text), Options{Options: foreign.Options{Unit: tc.unit}})
			if !errors.Is(err, tc.err) {
				t.Fatalf("error %v, want %v", err, tc.err)
			}
			if err == nil && runs[0].Totals()[0].Min != tc.want {
				t.Errorf("min %d ns, want %d", runs[0].Totals()[0].Min, tc.want)
			}
		})
	}
}

// TestTraps holds what the obvious reading gets wrong.
func TestTraps(t *testing.T) {
	thread := func(text string) string {
		return "{\n  \"file_version\": 1,\n  \"cmdline:\": \"cyclictest -q\",\n  \"resolution_in_ns\": 0,\n  \"thread\": {" + text + "}\n}\n"
	}
	for _, tc := range []struct {
		name, text string
		check      func(t *testing.T, r *results.Run)
	}{
		{
			name: "no cycles", text: thread(`"0": {"histogram": {}, "cycles": 0, "min": 1000000, "max": 0, "avg": -nan, "cpu": -1, "node": -1}`),
			check: func(t *testing.T, r *results.Run) {
				total := r.Totals()[0]
				if !total.Empty() || !total.Missing.Has(results.NoMin) || !total.Missing.Has(results.NoMax) {
					t.Errorf("an empty thread gives %+v", total)
				}
				if total.Labels["cpu"] != "" {
					t.Errorf("labels %v name a CPU", total.Labels)
				}
			},
		},
		{
			name: "a quote in the command line", text: strings.Replace(thread(`"0": {"cycles": 3, "min": 5, "max": 9, "avg": 6.5, "cpu": 1}`),
				"cyclictest -q", `cyclictest --json="my "file", no 2".json -i 250`, 1),
			check: func(t *testing.T, r *results.Run) {
				if ns, _ := r.ConfigInt(results.ConfigPeriod); ns != 250_000 || r.Totals()[0].Max != 9000 {
					t.Errorf("period %d, totals %+v", ns, r.Totals()[0])
				}
			},
		},
		{
			name: "an export of latency's own, with Xenomai's letters", text: strings.Replace(thread(`"0": {"cycles": 3, "min": 5, "max": 9, "avg": 6.5, "cpu": 1}`),
				"cyclictest -q", `latency -p 200 -P 80 -T 12`, 1),
			check: func(t *testing.T, r *results.Run) {
				period, _ := r.ConfigInt(results.ConfigPeriod)
				if priority, _ := r.ConfigInt(results.ConfigPriority); period != 200_000 || priority != 80 {
					t.Errorf("period %d, priority %d, want 200,000 ns and 80", period, priority)
				}
			},
		},
		{
			name: "overflow is cycles less the histogram", text: thread(`"0": {"histogram": {"5": 990}, "cycles": 1000, "min": 5, "max": 99, "avg": 6, "cpu": 0}`),
			check: func(t *testing.T, r *results.Run) {
				total := r.Totals()[0]
				if total.Histogram.Overflow() != 10 || total.Missing.Has(results.NoP99) || !total.Missing.Has(results.NoP99_9) {
					t.Errorf("overflow %d, missing %v", total.Histogram.Overflow(), total.Missing)
				}
			},
		},
		{
			name: "one above the histogram is the maximum", text: thread(`"0": {"histogram": {"5": 999}, "cycles": 1000, "min": 5, "max": 99, "avg": 6, "cpu": 0}`),
			check: func(t *testing.T, r *results.Run) {
				total := r.Totals()[0]
				if got := total.Histogram.Quantile(1); got < 99_000 || got > 99_100 || total.Missing.Has(results.NoPercentiles) {
					t.Errorf("last quantile %d, missing %v", got, total.Missing)
				}
			},
		},
		{
			name: "oslat adds the first thread's overflow to every mean",
			text: strings.Replace(thread(`"0": {"cpu": 0, "min": 1, "avg": 1.5, "max": 900, "histogram": {"1": 9, "32": 1}},
				"1": {"cpu": 1, "min": 1, "avg": 9.5, "max": 3, "histogram": {"1": 9, "3": 1}}`), "cyclictest", "oslat", 1),
			check: func(t *testing.T, r *results.Run) {
				totals := r.Totals()
				if totals[0].Missing.Has(results.NoMean) || !totals[1].Missing.Has(results.NoMean) {
					t.Errorf("missing %v and %v", totals[0].Missing, totals[1].Missing)
				}
				if totals[0].Histogram.Quantile(1) < 900_000 {
					t.Error("the last bucket is not known to hold the overflow")
				}
			},
		},
		{
			name: "OSADL's first core is the axis",
			text: `{"format": {"name": "RT Dataset", "version": "1.0"}, "condition": {"cycles": 12, "interval": 200},
				"latency": {"granularity": "microseconds", "maxima": [7, 2], "cores": [[0,1,2,3],[0,5,5,0],[0,12,0,0]]}}`,
			check: func(t *testing.T, r *results.Run) {
				totals := r.Totals()
				if len(totals) != 2 || totals[0].Count != 12 || totals[0].Histogram.Overflow() != 2 || totals[1].Count != 12 {
					t.Errorf("totals %+v", totals)
				}
			},
		},
		{
			name: "a wrong number of samples is said", text: thread(`"0": {"histogram": {"5": 990}, "cycles": 100, "min": 5, "max": 5, "avg": 5, "cpu": 0}`),
			check: func(t *testing.T, r *results.Run) {
				if len(r.End.Warnings) == 0 {
					t.Error("no warning")
				}
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.check(t, mustRead(t, tc.text, Options{})[0])
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name, text, format string
		want               error
	}{
		{name: "prose", text: "hello\n", want: ErrFormat},
		{name: "a run log", text: `{"type":"run","schema":1}` + "\n", want: ErrRunLog},
		{name: "an unknown format", text: "x", format: "nonsense", want: ErrFormat},
		{name: "a header without rows", text: "RTH|----lat min|----lat avg|----lat max|\n", want: foreign.ErrNoFigures},
		{name: "rtla without header", text: "0  121\nover:  0\ncount: 121\n", want: errNoHeader},
		{
			name: "rteval whose statistics were dropped", want: errRtevalDropped,
			text: `<rteval version="3.7"><Measurements><cyclictest command_line="cyclictest -i100"/></Measurements></rteval>`,
		},
		{
			name: "rteval's timerlat", want: errRtevalMixed,
			text: `<rteval version="3.8"><Measurements><timerlat><core id="0"><statistics><samples>3</samples></statistics></core></timerlat></Measurements></rteval>`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := Read([]byte(tc.text), Options{Format: tc.format})
			if !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
		})
	}
}

// TestForced reads each sample by the name of its format as well.
func TestForced(t *testing.T) {
	for _, file := range sampleFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sniffed, name, err := Read(text, Options{File: file})
		if err != nil {
			continue
		}
		forced, _, err := Read(text, Options{File: file, Format: name})
		if err != nil || describe(t, forced) != describe(t, sniffed) {
			t.Errorf("%s: forced to %s it differs, or fails: %v", file, name, err)
		}
	}
}

// TestFormatsHaveSamples keeps formats and testdata together.
func TestFormatsHaveSamples(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range sampleFiles(t) {
		golden, err := os.ReadFile(file + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := bytes.Cut(golden, []byte("\n"))
		seen[strings.TrimPrefix(string(first), "format ")] = true
	}
	for _, f := range Formats() {
		if !seen[f.Name] {
			t.Errorf("no sample of %s in testdata", f.Name)
		}
	}
}

// TestSamplesDoNotContradict checks the files of other tools as results show
// does: what they count and round otherwise is no contradiction.
func TestSamplesDoNotContradict(t *testing.T) {
	for _, file := range sampleFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		runs, _, err := Read(text, Options{File: file})
		if err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, r := range runs {
			period, _ := r.ConfigInt(results.ConfigPeriod)
			if list := r.Check(time.Duration(period)); len(list) > 0 {
				t.Errorf("%s: %q", file, list)
			}
		}
	}
}
