package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"worstcase/results"
)

// A sketch describes a run of one series: 20,000 samples from level on, 1 ns
// apart, and one at max.
type sketch struct {
	level, max int64
	minute     int
	change     func(*results.Header)
	rate       float64 // of a load named fork
	seconds    float64
	labels     results.Labels
	end        func(*results.End)
}

func (s sketch) run(t *testing.T) *results.Run {
	t.Helper()
	if s.seconds == 0 {
		s.seconds = 60
	}
	info := results.SeriesInfo{Labels: s.labels}
	h := &results.Header{
		Schema: results.Schema, Tool: "latency",
		Config:  map[string]any{results.ConfigPeriod: 100_000, results.ConfigTimer: "nanosleep"},
		Host:    results.Facts{"cpu.model": "A100", "kernel.release": "6.12", "kernel.config": "CONFIG_HZ=250\nCONFIG_SMP=y"},
		Started: time.Date(2026, 11, 30, 12, s.minute, 0, 0, time.UTC),
		Series:  []results.SeriesInfo{info},
	}
	if s.change != nil {
		s.change(h)
	}
	tally := results.Tally{Histogram: new(results.Histogram), Min: s.level, Max: s.max}
	for i := range int64(20_000) {
		x := s.level + i
		if i == 19_999 {
			x = s.max
		}
		tally.Histogram.Record(x)
		tally.Sum += x
		tally.Count++
	}
	e := &results.End{Reason: "duration", Seconds: s.seconds, Verdict: results.Pass, Series: []results.Total{{SeriesInfo: info, Tally: tally}}}
	if s.end != nil {
		s.end(e)
	}
	r := &results.Run{Source: fmt.Sprintf("run-%02d.run", s.minute)}
	records := []results.Record{h}
	if s.rate > 0 {
		records = append(records, &results.Load{At: 1e9, Kinds: map[string]results.Rate{"fork": {Rate: s.rate, Unit: "fork/s"}}})
	}
	for _, rec := range append(records, e) {
		if err := r.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// interleaved makes n runs a side in turn; step is how much a run's level and
// maximum differ from those of the run before.
func interleaved(t *testing.T, n int, a, b sketch, step int64) (sa, sb Side) {
	t.Helper()
	for i := range n {
		a.minute, b.minute = 2*i, 2*i+1
		sa.Runs = append(sa.Runs, a.run(t))
		sb.Runs = append(sb.Runs, b.run(t))
		for _, s := range []*sketch{&a, &b} {
			s.level += step
			s.max += step
		}
	}
	return sa, sb
}

func compared(t *testing.T, a, b Side, o Options) *Comparison {
	t.Helper()
	c, err := Compare(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func verdicts(c *Comparison) map[string]Verdict {
	v := map[string]Verdict{}
	for _, r := range c.Rows {
		v[r.Metric] = r.Verdict
	}
	return v
}

func all(v Verdict, except map[string]Verdict) map[string]Verdict {
	m := map[string]Verdict{"mean": v, "p50": v, "p99": v, "p99.9": v, "p99.99": v, "max": v, "overruns": Same}
	maps.Copy(m, except)
	return m
}

func TestVerdicts(t *testing.T) {
	base := sketch{level: 100_000, max: 300_000}
	tests := []struct {
		name  string
		runs  int
		b     sketch
		step  int64
		want  map[string]Verdict
		whole Verdict
	}{
		{"worse", 5, sketch{level: 140_000, max: 300_000}, 500, all(Worse, map[string]Verdict{"max": Same}), Worse},
		{"better", 4, sketch{level: 60_000, max: 200_000}, 500, all(Better, nil), Better},
		{"same", 5, sketch{level: 100_100, max: 300_100}, 500, all(Same, nil), Same},
		{"not shown", 5, sketch{level: 103_000, max: 309_000}, 20_000, all(NotShown, nil), NotShown},
		{"three a side", 3, sketch{level: 140_000, max: 300_000}, 500, all("", map[string]Verdict{"overruns": ""}), ""},
		{"worse in the maximum alone", 5, sketch{level: 100_000, max: 600_000}, 500, all(Same, map[string]Verdict{"max": Worse}), Worse},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := interleaved(t, test.runs, base, test.b, test.step)
			c := compared(t, a, b, Options{})
			if d := cmp.Diff(test.want, verdicts(c)); d != "" {
				t.Errorf("verdicts (-want +got):\n%s", d)
			}
			if c.Verdict != test.whole {
				t.Errorf("verdict %q, want %q", c.Verdict, test.whole)
			}
			for _, r := range c.Rows {
				if r.Interval != nil && !r.Interval.Contains(r.Difference) {
					t.Errorf("%s: difference %g outside its interval %v", r.Metric, r.Difference, *r.Interval)
				}
			}
		})
	}
}

func TestMarginDecides(t *testing.T) {
	a, b := interleaved(t, 5, sketch{level: 100_000, max: 300_000}, sketch{level: 104_000, max: 304_000}, 100)
	if got := compared(t, a, b, Options{}).Verdict; got != Same {
		t.Errorf("4 us on 100 us, margin 5 %%: %s, want same", got)
	}
	if got := compared(t, a, b, Options{Margin: Margin{Absolute: time.Microsecond}}).Verdict; got != Worse {
		t.Errorf("4 us on 100 us, margin 1 us: %s, want worse", got)
	}
}

func TestVoid(t *testing.T) {
	config := func(key string, v any) func(*results.Header) {
		return func(h *results.Header) { h.Config[key] = v }
	}
	host := func(key, v string) func(*results.Header) {
		return func(h *results.Header) { h.Host[key] = v }
	}
	tests := []struct {
		name string
		b    sketch
		want string
	}{
		{"period", sketch{change: config(results.ConfigPeriod, 1_000_000)}, "the periods differ: 100us, 1ms"},
		{"timer", sketch{change: config(results.ConfigTimer, "timerfd")}, "the instruments differ (timer): nanosleep, timerfd"},
		{"back-end", sketch{change: config(results.ConfigBackend, "eBPF")}, "the instruments differ (back-end): -, eBPF"},
		{"notifier", sketch{change: config(results.ConfigNotifier, "futex")}, "the instruments differ (notifier): -, futex"},
		{"processor", sketch{change: host("cpu.model", "B200")}, "the CPU models differ: A100, B200"},
		{"hypervisor", sketch{change: host("hypervisor", "kvm")}, "one ran under a hypervisor, or they differ: none, kvm"},
		{"load", sketch{change: config(results.ConfigLoad, "fork")}, "the loads differ: none, fork"},
		{"load lines", sketch{rate: 800}, "the loads differ: none, fork"},
		{"tool", sketch{change: func(h *results.Header) { h.Tool = "cyclictest" }}, "the tools differ: latency, cyclictest"},
		{"contradiction", sketch{end: func(e *results.End) { e.Verdict = results.Contradicts }}, "contradict themselves"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.b.level, test.b.max = 200_000, 400_000
			a, b := interleaved(t, 4, sketch{level: 100_000, max: 300_000}, test.b, 100)
			c := compared(t, a, b, Options{})
			if len(c.Void) == 0 || !strings.Contains(c.Void[0], test.want) {
				t.Errorf("void for %q, want %q", c.Void, test.want)
			}
			if c.Verdict != "" || len(c.Rows) == 0 || c.Rows[0].Verdict != "" {
				t.Errorf("a verdict though the comparison is void: %+v", c)
			}
		})
	}
}

func TestLoadRates(t *testing.T) {
	for _, test := range []struct {
		rate float64
		void bool
	}{{1000, false}, {1150, false}, {1250, true}, {790, true}} {
		a, b := interleaved(t, 4, sketch{level: 9000, max: 90_000, rate: 1000}, sketch{level: 9000, max: 90_000, rate: test.rate}, 10)
		c := compared(t, a, b, Options{})
		if got := len(c.Void) > 0; got != test.void {
			t.Errorf("1000 fork/s against %g: void %q, want %t", test.rate, c.Void, test.void)
		}
	}
}

func TestMixedSideIsVoid(t *testing.T) {
	a, b := interleaved(t, 4, sketch{level: 9000, max: 90_000}, sketch{level: 9000, max: 90_000}, 10)
	for _, s := range []Side{a, b} {
		s.Runs[0].Config[results.ConfigPeriod] = 1_000_000
	}
	if c := compared(t, a, b, Options{}); len(c.Void) != 1 || !strings.Contains(c.Void[0], "100us | 1ms") {
		t.Errorf("both sides mix periods: void %q", c.Void)
	}
}

func TestDifferences(t *testing.T) {
	a, b := interleaved(t, 2, sketch{level: 9000, max: 90_000}, sketch{level: 9000, max: 90_000, change: func(h *results.Header) {
		h.Host["kernel.release"] = "6.18"
		h.Host["kernel.config"] = "CONFIG_HZ=1000\nCONFIG_SMP=y\nCONFIG_PREEMPT_RT=y"
		h.Host["kernel.banner"] = "Linux version"
		h.Config[results.ConfigTimer] = "timerfd"
		h.Config[results.ConfigDuration] = 7
		h.Config[results.ConfigCommand] = "latency -o b.run"
	}}, 10)
	want := []Difference{
		{"config.timer", "nanosleep", "timerfd", true},
		{"CONFIG_HZ", "250", "1000", false},
		{"CONFIG_PREEMPT_RT", "-", "y", false},
		{"kernel.release", "6.12", "6.18", false},
	}
	if d := cmp.Diff(want, Differences(a.Runs, b.Runs)); d != "" {
		t.Errorf("differences (-want +got):\n%s", d)
	}
}

func TestNotes(t *testing.T) {
	base := sketch{level: 9000, max: 90_000}
	truncated := func(s Side) { s.Runs[0].End = nil }
	tests := []struct {
		name   string
		n      int
		b      sketch
		change func(a, b Side)
		want   string
	}{
		{"interleaved", 4, base, nil, ""},
		{"one after the other", 4, base, func(_, b Side) {
			for _, r := range b.Runs {
				r.Started = r.Started.Add(time.Hour)
			}
		}, "drift can't be told apart"},
		{"unknown order", 4, base, func(a, _ Side) { a.Runs[1].Started = time.Time{} }, "when the runs started is unknown"},
		{"few", 2, base, nil, "no verdict: it needs 4 runs a side; about 4 would show"},
		{"one", 1, base, nil, "no verdict: it needs 4 runs a side"},
		{"unequal lengths", 4, sketch{level: 9000, max: 90_000, seconds: 70}, nil, "no verdict on max"},
		{"unknown figures", 4, base, func(a, _ Side) { a.Runs[0].End.Series[0].Missing = results.NoOverruns }, "too few samples in some run: overruns"},
		{"cut short", 4, base, func(a, _ Side) { truncated(a) }, "cut short"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a, b := interleaved(t, test.n, base, test.b, 10)
			if test.change != nil {
				test.change(a, b)
			}
			notes := strings.Join(compared(t, a, b, Options{}).Notes, "\n")
			if test.want == "" && notes != "" || !strings.Contains(notes, test.want) {
				t.Errorf("notes %q, want %q", notes, test.want)
			}
		})
	}
}

func TestSeriesArePaired(t *testing.T) {
	a, b := interleaved(t, 4, sketch{level: 9000, max: 90_000, labels: results.Labels{"cpu": "1"}}, sketch{level: 9000, max: 90_000, labels: results.Labels{"cpu": "3"}}, 10)
	c := compared(t, a, b, Options{})
	if !slices.Contains(c.Differences, Difference{Key: "series.cpu", A: "1", B: "3"}) {
		t.Errorf("single series on different CPUs: differences %+v", c.Differences)
	}
	b.Runs[2].End.Series = append(b.Runs[2].End.Series, b.Runs[2].End.Series[0])
	if c, err := Compare(a, b, Options{}); err == nil {
		t.Errorf("no series in common, but %+v", c)
	}
}

func TestSameSeedSameAnswer(t *testing.T) {
	a, b := interleaved(t, 12, sketch{level: 9000, max: 90_000}, sketch{level: 9100, max: 91_000}, 400)
	first, second := compared(t, a, b, Options{Seed: 3}), compared(t, a, b, Options{Seed: 3})
	if first.Exact {
		t.Fatal("twelve against twelve enumerated")
	}
	for i, r := range first.Rows {
		if *r.Adjusted != *second.Rows[i].Adjusted {
			t.Errorf("%s: p = %g, then %g", r.Metric, *r.Adjusted, *second.Rows[i].Adjusted)
		}
	}
}
