package results

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ends makes the end of a run with one series.
func ends(seconds float64, t Tally) *End {
	return &End{Reason: "duration", Seconds: seconds, Series: []Total{{SeriesInfo: SeriesInfo{ID: 3}, Tally: t}}}
}

func TestGates(t *testing.T) {
	zero, five := int64(0), int64(5)
	sound := tally(0, 10, 20, 30, 40)
	sound.Overruns, sound.Lost, sound.Unrecorded = 1, 2, 3
	tests := []struct {
		name   string
		limits Limits
		tally  Tally
		want   []Gate
	}{
		{"none", Limits{}, sound, nil},
		{"max holds to the ns", Limits{Max: 40}, sound, []Gate{{"max", 3, 40, 40, "ns", true}}},
		{"max does not hold", Limits{Max: 39}, sound, []Gate{{"max", 3, 39, 40, "ns", false}}},
		{"percentiles", Limits{Percentiles: []PercentileLimit{{50, 20}, {99.999, 39}}}, sound, []Gate{{"percentile 50", 3, 20, 20, "ns", true}, {"percentile 99.999", 3, 39, 40, "ns", false}}},
		{"overruns", Limits{MaxOverruns: &zero}, sound, []Gate{{"max-overruns", 3, 0, 1, "", false}}},
		{"lost and unrecorded", Limits{MaxLost: &five}, sound, []Gate{{"max-lost", 3, 5, 5, "", true}}},
		{"break", Limits{Break: 35}, sound, []Gate{{"break", 3, 35, 40, "ns", false}}},
		{"no samples", Limits{Max: 40, MaxOverruns: &zero}, Tally{}, []Gate{{"max", 3, 40, 0, "ns", false}, {"max-overruns", 3, 0, 0, "", true}}},
		{"unknown", Limits{Max: 40, MaxLost: &zero}, Tally{Missing: NoCount | NoMax | NoLost}, []Gate{{"max", 3, 40, 0, "ns", false}, {"max-lost", 3, 0, 0, "", false}}},
		{"no histogram", Limits{Percentiles: []PercentileLimit{{99, 50}}}, Tally{Count: 1, Max: 4}, []Gate{{"percentile 99", 3, 50, 0, "ns", false}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.limits.Gates(ends(1, tt.tally))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestContradictions(t *testing.T) {
	with := func(change func(*Tally)) Tally {
		t := tally(0, 10, 20, 30, 40)
		change(&t)
		return t
	}
	tests := []struct {
		name   string
		tally  Tally
		period time.Duration
		want   string // of the only line, "" for none
	}{
		{"sound", with(func(*Tally) {}), time.Second, ""},
		{"one period less", with(func(t *Tally) { t.Overruns = 5 }), time.Second, ""},
		{"one period more", with(func(t *Tally) { t.Overruns = 7 }), time.Second, ""},
		{"all kinds of periods", with(func(t *Tally) { t.Overruns, t.Throttled, t.Unrecorded, t.Sum = 3, 2, 1, 110 }), time.Second, ""},
		{"a period too few", with(func(t *Tally) { t.Overruns = 4 }), time.Second, "which has 10 periods"},
		{"a period too many", with(func(t *Tally) { t.Overruns = 8 }), time.Second, "which has 10 periods"},
		{"what was lost has its period", with(func(t *Tally) { t.Overruns, t.Lost = 2, 4 }), time.Second, ""},
		{"more lost than there were periods", with(func(t *Tally) { t.Overruns, t.Lost = 2, 6 }), time.Second, "6 lost in 10 s, which has 10 periods"},
		{"less lost than is missing", with(func(t *Tally) { t.Overruns, t.Lost = 2, 2 }), time.Second, "which has 10 periods"},
		{"no samples", Tally{}, time.Second, "0 samples, 0 missed"},
		{"missed periods unknown", Tally{Missing: NoOverruns}, time.Second, ""},
		{"negative", tally(0, -1, 5), 0, "a latency of -1 ns"},
		{"minimum above maximum", with(func(t *Tally) { t.Min, t.Max, t.Histogram = 50, 40, nil; t.Sum = 180 }), 0, "minimum 50 ns is above maximum 40 ns; mean"},
		{"mean outside", with(func(t *Tally) { t.Sum = 1000 }), 0, "mean 250 ns"},
		{"minimum above median", with(func(t *Tally) { t.Min, t.Sum = 21, 120 }), 0, "minimum 21 ns is above the median"},
		{"median above maximum", with(func(t *Tally) { t.Max, t.Sum = 19, 60 }), 0, "is above maximum 19 ns"},
		{"median in the bucket of the maximum", tally(0, 100_001, 100_001), 0, ""},
		{"histogram short", with(func(t *Tally) { t.Count, t.Sum = 5, 125 }), 0, "holds 4 samples of 5"},
		{"above an hour", tally(0, Highest+1, Highest+2), 0, ""},
		{"imported", Tally{Missing: NoCount | NoMin | NoMean | NoPercentiles, Max: 40}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.period > 0 && tt.tally.Overruns == 0 && tt.want == "" {
				tt.tally.Overruns = 6
			}
			got := strings.Join(Contradictions(ends(10, tt.tally), tt.period), "; ")
			if (tt.want == "") != (got == "") || !strings.Contains(strings.ReplaceAll(got, "series 3: ", ""), tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	sound, negative := tally(0, 1), tally(0, -1)
	passed, failed := []Gate{{Pass: true}}, []Gate{{Pass: true}, {Pass: false}}
	tests := []struct {
		name   string
		tally  Tally
		reason string
		gates  []Gate
		failed bool
		want   Verdict
	}{
		{"sound", sound, "duration", passed, false, Pass},
		{"by signal", sound, "signal", nil, false, Pass},
		{"a gate", sound, "duration", failed, false, Fail},
		{"a break", sound, "break", nil, false, Fail},
		{"contradicts", negative, "duration", passed, false, Contradicts},
		{"contradicts before a gate", negative, "break", failed, false, Contradicts},
		{"error before all", negative, "error", failed, true, VerdictError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			end := ends(1, tt.tally)
			end.Reason, end.Gates = tt.reason, tt.gates
			if got := Judge(end, 0, tt.failed); got != tt.want {
				t.Errorf("verdict %s, want %s", got, tt.want)
			}
		})
	}
}

func TestWorst(t *testing.T) {
	tests := []struct {
		name     string
		verdicts []Verdict
		want     int
	}{
		{"none", nil, 0},
		{"all pass", []Verdict{Pass, Pass}, 0},
		{"one fails", []Verdict{Pass, Fail}, 3},
		{"a contradiction before a gate", []Verdict{Fail, Contradicts, Pass}, 5},
		{"an error before all", []Verdict{Contradicts, VerdictError, Fail}, 1},
		{"cut short", []Verdict{Fail, ""}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Worst(tt.verdicts...).Status(); got != tt.want {
				t.Errorf("status %d, want %d", got, tt.want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	whole := text(t, script()...)
	lines := strings.SplitAfter(whole, "\n")
	without := strings.Join(append(append([]string{}, lines[:1]...), lines[2:]...), "")
	tests := []struct {
		name, log string
		keep      Keep
		want      string
	}{
		{"negative latency only", whole, KeepFigures, "a latency of -4 ns"},
		{"an interval is missing", without, KeepFigures, "don't add up"},
		{"an interval is missing, all kept", without, KeepAll, "don't add up"},
		{"an interval is missing, none looked at", without, KeepTotals, "a latency of -4 ns"},
		{"an interval was torn", strings.Replace(whole, lines[1], lines[1][:50]+"\n", 1), KeepFigures, "a latency of -4 ns"},
		{"the log says so", strings.Replace(without, `"reason":`, `"unlogged":1,"reason":`, 1), KeepFigures, "a latency of -4 ns"},
		{"cut short", strings.Join(lines[:3], ""), KeepFigures, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			runs, err := ReadFrom(tt.keep, strings.NewReader(tt.log), "")
			if err != nil {
				t.Fatal(err)
			}
			got := runs[0].Check(0)
			last := ""
			if len(got) > 0 {
				last = got[len(got)-1]
			}
			if (tt.want == "") != (last == "") || !strings.Contains(last, tt.want) {
				t.Errorf("%q, want the last to contain %q", got, tt.want)
			}
		})
	}
}
