package results

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ended is a run of ten samples, 10 to 100 us, one period of 1 ms each.
func ended(change func(*Total)) *End {
	t := Total{SeriesInfo: SeriesInfo{ID: 0}}
	t.Histogram = new(Histogram)
	for us := int64(10); us <= 100; us += 10 {
		t.Histogram.Record(us * 1000)
		t.Count++
		t.Sum += us * 1000
	}
	t.Min, t.Max = 10_000, 100_000
	if change != nil {
		change(&t)
	}
	return &End{Seconds: 0.01, Series: []Total{t}}
}

func TestGates(t *testing.T) {
	zero := int64(0)
	tests := []struct {
		name   string
		limits Limits
		end    *End
		want   Verdict
	}{
		{"no limits", Limits{}, ended(nil), Pass},
		{"maximum at its limit", Limits{Max: 100 * time.Microsecond}, ended(nil), Pass},
		{"maximum above its limit", Limits{Max: 99 * time.Microsecond}, ended(nil), Fail},
		{"percentile under its limit", Limits{Percentiles: []PercentileLimit{{50, 51 * time.Microsecond}}}, ended(nil), Pass},
		{"percentile above its limit", Limits{Percentiles: []PercentileLimit{{90, 89 * time.Microsecond}}}, ended(nil), Fail},
		{"break", Limits{Break: 50 * time.Microsecond}, ended(nil), Fail},
		{"no overruns allowed, one there", Limits{MaxOverruns: &zero}, ended(func(t *Total) { t.Overruns++ }), Fail},
		{"unrecorded is lost", Limits{MaxLost: &zero}, ended(func(t *Total) { t.Unrecorded++ }), Fail},
		{"nothing measured", Limits{Max: time.Second}, &End{Series: make([]Total, 1)}, Fail},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			tc.end.Gates = tc.limits.Gates(tc.end)
			if got := Judge(tc.end, 0, false); got != tc.want {
				t.Errorf("verdict %s, want %s; gates %+v", got, tc.want, tc.end.Gates)
			}
		})
	}
}

func TestJudgeOrder(t *testing.T) {
	bad := ended(func(t *Total) { t.Min = -1 })
	bad.Gates = Limits{Max: 1}.Gates(bad)
	got := []Verdict{Judge(bad, 0, true), Judge(bad, 0, false), Judge(ended(nil), 0, false)}
	if diff := cmp.Diff([]Verdict{VerdictError, Contradicts, Pass}, got); diff != "" {
		t.Error(diff)
	}
	if got := []int{Pass.Status(), VerdictError.Status(), Fail.Status(), Contradicts.Status()}; !cmp.Equal(got, []int{0, 1, 3, 5}) {
		t.Errorf("exit statuses %v", got)
	}
}

func TestContradictions(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Total)
		found  int
	}{
		{"none", nil, 0},
		{"one period off", func(t *Total) { t.Overruns = 1 }, 0},
		{"negative latency", func(t *Total) { t.Min = -5 }, 1},
		{"too many periods", func(t *Total) { t.Overruns = 2 }, 1},
		{"throttled periods count", func(t *Total) { t.Throttled = 2 }, 1},
		{"minimum above the median", func(t *Total) { t.Min = 90_000 }, 1},
		{"median above the maximum", func(t *Total) { t.Max = 20_000 }, 1},
		{"histogram of other samples", func(t *Total) { t.Histogram.Record(50_000) }, 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := Contradictions(ended(tc.change), time.Millisecond); len(got) != tc.found {
				t.Errorf("%d contradictions, want %d: %q", len(got), tc.found, got)
			}
		})
	}
}
