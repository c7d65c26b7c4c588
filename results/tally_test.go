package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tally of the samples, due one after the other from at on, 1 ms apart.
func tally(at int64, ns ...int64) Tally {
	t := Tally{Histogram: new(Histogram)}
	for i, v := range ns {
		one := Tally{Count: 1, Min: v, Max: v, MaxAt: at + int64(i)*1e6, Sum: v, Histogram: new(Histogram)}
		one.Histogram.Record(v)
		t.Add(&one)
	}
	return t
}

func TestTallyAdd(t *testing.T) {
	bare := Tally{Count: 2, Min: 3, Max: 9, Sum: 12}
	tests := []struct {
		name string
		a, b Tally
		want Tally
	}{
		{"two empty", Tally{Overruns: 1}, Tally{Lost: 2, Overruns: 3}, Tally{Overruns: 4, Lost: 2}},
		{"empty first", Tally{}, tally(7, 5), tally(7, 5)},
		{"empty second", tally(7, 5), Tally{}, tally(7, 5)},
		{"first of two equal maxima dates it", tally(2e6, 5), tally(1e6, 5), tally(1e6, 5, 5)},
		{"a histogram is missing", tally(0, 5), bare, Tally{Count: 3, Min: 3, Max: 9, Sum: 17}},
		{"a histogram is missing first", bare, tally(0, 5), Tally{Count: 3, Min: 3, Max: 9, Sum: 17}},
		{
			"unrecorded only", tally(0, 5),
			Tally{Unrecorded: 1, Min: 1, Max: 50, MaxAt: 8, Sum: 50},
			Tally{Count: 1, Unrecorded: 1, Min: 1, Max: 50, MaxAt: 8, Sum: 55, Histogram: tally(0, 5).Histogram},
		},
		{"weighted averages", Tally{Count: 1, Average: 4, Min: 4, Max: 4}, Tally{Count: 3, Average: 8, Min: 8, Max: 8}, Tally{Count: 4, Average: 7, Min: 4, Max: 8}},
		{
			"averages of unknown weight",
			Tally{Missing: NoCount, Average: 4, Min: 4, Max: 4},
			Tally{Missing: NoCount, Average: 8, Min: 8, Max: 8},
			Tally{Missing: NoCount | NoMean, Min: 4, Max: 8},
		},
		{"missing in an empty one", tally(0, 5), Tally{Missing: NoLost}, func() Tally { t := tally(0, 5); t.Missing = NoLost; return t }()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.a.Add(&tt.b)
			if diff := cmp.Diff(tt.want, tt.a, same); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTallyQuantile(t *testing.T) {
	one := tally(0, 1_000_001)
	if ns, known := one.Quantile(0.5); ns != 1_000_001 || !known {
		t.Errorf("median of one sample %d, %v; want the sample, not the end of its bucket", ns, known)
	}
	outside := tally(0, -7, -3, 5, Highest+9)
	for q, want := range map[float64]int64{0: -1, 0.75: 5, 1: Highest + 9} {
		if ns, _ := outside.Quantile(q); ns != want {
			t.Errorf("Quantile(%v) = %d, want %d", q, ns, want)
		}
	}
	beyond := tally(0, 1, 2, Highest+1, Highest+9)
	if ns, known := beyond.Quantile(0.75); known {
		t.Errorf("Quantile(0.75) = %d, known though above the histogram's range", ns)
	}
	for name, tt := range map[string]Tally{"empty": {}, "no histogram": {Count: 3, Max: 4}} {
		if _, known := tt.Quantile(0.5); known {
			t.Errorf("%s: the median is known", name)
		}
	}
}

func TestSummary(t *testing.T) {
	got := new(tally(5e6, 3, 1, 2)).Summary()
	want := Summary{Count: 3, Min: 1, Mean: 2, P50: 2, P90: 3, P99: 3, P999: 3, P9999: 3, P99999: 3, Max: 3, MaxAt: 5e6}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m := new(Tally).Summary().Missing; m != NoMin|NoMean|NoMax|NoMaxAt|NoPercentiles {
		t.Errorf("missing without samples: %v", m)
	}
}
