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

// TestMailingList reads the tables of 2005 as they were joined by hand, and as
// the mail has them, with quote marks and wrapped headers.
func TestMailingList(t *testing.T) {
	joined := []figuresOf{
		{"switchbench", "iPipe 1.0-00", 5158, 5169, 10038, -1, 0},
		{"switchbench", "iPipe 1.0-01", 5145, 5154, 10166, -1, 0},
		{"klatency", "1.0-00", 2953, 5974, 19147, 0, 725},
		{"klatency", "1.0-01", 3035, 8705, 20705, 0, 594},
		{"latency", "1.0-00", 3575, 7438, 24474, 0, 650},
		{"latency", "1.0-01", 3553, 10125, 23970, 0, 581},
		{"latency", "RTAI 3.0r5", 23120, 31838, 70520, -1, 746},
		{"latency", "Xenomai", 50560, 98976, 199040, 0, 585},
		{"latency", "Xenomai (*)", 44160, 96215, 200640, 0, 593},
	}
	asSent := append(append([]figuresOf{}, joined[6:]...), joined[:6]...)
	for file, want := range map[string][]figuresOf{
		"testdata/mailing-list-2005.txt":         joined,
		"testdata/mailing-list-2005-as-sent.txt": asSent,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"as is":         string(text),
			"with CR LF":    strings.ReplaceAll(string(text), "\n", "\r\n"),
			"quoted":        "> " + strings.ReplaceAll(string(text), "\n", "\n> "),
			"quoted, tight": ">" + strings.ReplaceAll(string(text), "\n", "\n>"),
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				if diff := cmp.Diff(want, figures(mustRead(t, text, Options{}))); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		}
	}
}

func TestFootnote(t *testing.T) {
	text, err := os.ReadFile("testdata/mailing-list-2005-as-sent.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range mustRead(t, string(text), Options{}) {
		want := ""
		if strings.Contains(r.Label, "(*)") {
			want = "CONFIG_XENO_OPT_PERVASIVE is not set; CONFIG_XENO_HW_PERIODIC_TIMER is not set"
		}
		if got := r.ConfigText("note"); got != want {
			t.Errorf("note of %s is %q, want %q", r.Label, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		options    foreign.Options
		want       []figuresOf
	}{
		{
			name: "interrupted on a terminal",
			text: "== Sampling period: 100 us\n== All results in microseconds\n" +
				"RTT|  00:00:01  (periodic user-mode task, 100 us period, priority 99)\n" +
				"RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n" +
				"RTD|      3.985|      6.527|   1221.263|      15|     0|      3.985|   1221.263\n" +
				"^C---|-----------|-----------|-----------|--------|------|-------------------------\n" +
				"RTS|      3.985|      6.527|   1221.263|      15|     0|    00:00:01/00:00:01\n",
			want: []figuresOf{{"latency", "x", 3985, 6527, 1221263, 15, 1}},
		},
		{
			name: "two runs, the first without its end",
			text: "RTT|  00:00:01  (periodic user-mode task, 100 us period, priority 99)\n" +
				"RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n" +
				"RTD|      3.985|      6.527|   1221.263|      15|     0|      3.985|   1221.263\n" +
				"RTD|      3.885|      6.527|   1000.263|      18|     0|      3.885|   1221.263\n" +
				"RTT|  00:00:01  (in-kernel periodic task, 100 us period, priority 99)\n" +
				"RTD|      1.000|      2.000|      3.000|       0|     0|      1.000|      3.000\n" +
				"---|-----------|-----------|-----------|--------|------|-------------------------\n" +
				"RTS|      1.000|      2.000|      3.000|       0|     0|    00:00:02/00:01:00\n",
			want: []figuresOf{{"latency", "x", 3885, -1, 1221263, 18, 2}, {"latency", "x", 1000, 2000, 3000, 0, 2}},
		},
		{
			name: "klatency of Xenomai 2.0",
			text: "RTH|----klat min|----klat avg|----klat max|   overrun|---klat best|--klat worst\n" +
				"RTD|        2953|        5974|       19147|         0|        2953|       19147\n" +
				"RTS|        2953|        5974|       19147|         0|    00:12:05\n",
			want: []figuresOf{{"klatency", "x", 2953, 5974, 19147, 0, 725}},
		},
		{
			name: "Xenomai 2.4, in us by its decimal points",
			text: "RTH|-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst\n" +
				"RTD|      -1.250|       2.500|      19.147|       0|      -1.250|      19.147\n" +
				"RTS|      -1.250|       2.500|      19.147|       0|    00:00:10/00:00:10\n",
			want: []figuresOf{{"latency", "x", -1250, 2500, 19147, 0, 10}},
		},
		{
			name: "two CPUs",
			text: "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n" +
				"RTD|      1.000|      2.000|      9.000|       1|     0|      1.000|      9.000 CPU0\n" +
				"RTD|      3.000|      4.000|      5.000|       0|     0|      3.000|      5.000 CPU1\n" +
				"---|-----------|-----------|-----------|--------|------|-------------------------\n" +
				"RTS|      1.000|      2.000|      9.000|       1|     0|    00:00:01/00:00:01 CPU0\n" +
				"RTS|      3.000|      4.000|      5.000|       0|     0|    00:00:01/00:00:01 CPU1\n",
			want: []figuresOf{{"latency", "x", 1000, 2000, 9000, 1, 1}, {"latency", "x", 3000, 4000, 5000, 0, 1}},
		},
		{
			name: "RTAI, which has no end and negative latencies",
			text: "# period = 1000000 (ns)\nRTAI Testsuite - KERNEL latency (all data in nanoseconds)\n" +
				"RTH|    lat min|    ovl min|    lat avg|    lat max|    ovl max|   overruns\n" +
				"RTD|     -35125|     -35125|     -10767|      19762|      19762|          0\n" +
				"RTD|     -35087|     -35125|     -10587|      24400|      24400|          2\n",
			want: []figuresOf{{"rtai", "x", -35125, -1, 24400, 2, 2}},
		},
		{
			name: "a line that was cut off",
			text: "RTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n" +
				"RTD|      3.985|      6.527|   1221.263|      15|     0|      3.985|   1221.263\n" +
				"RTD|      1.5",
			want: []figuresOf{{"latency", "x", 3985, -1, 1221263, 15, 1}},
		},
		{
			name:    "whole figures of a text whose unit is given",
			text:    "RTH|-----lat min|-----lat avg|-----lat max|-overrun|----lat best|---lat worst\nRTS|           2|           5|          19|       0|    00:12:05\n",
			options: foreign.Options{Unit: time.Microsecond},
			want:    []figuresOf{{"latency", "x", 2000, 5000, 19000, 0, 725}},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := figures(mustRead(t, tc.text, Options{Options: tc.options, File: "x.txt"}))
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestHistogramOfSwitch reads the histogram that stands behind its row.
func TestHistogramOfSwitch(t *testing.T) {
	runs := mustRead(t, "== Sampling period: 100 us\nRTH|     lat min|     lat avg|     lat max|        lost\n"+
		"RTD|        5158|        5269|        7038|           2\n"+
		"---|--range-|---samples\nHSD|  5 -  6 |          90\nHSD|  7 -  8 |          10\n", Options{})
	total := runs[0].Totals()[0]
	if len(runs) != 1 || total.Count != 100 || total.Lost != 2 || total.Missing.Has(results.NoP99) {
		t.Errorf("%d runs, %+v", len(runs), total)
	}
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
