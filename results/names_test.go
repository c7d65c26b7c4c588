package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	for _, test := range []struct {
		name   string
		labels []Labels
		want   []string
	}{
		{"one", []Labels{{"cpu": "1"}}, []string{""}},
		{"cpus", []Labels{{"cpu": "0"}, {"cpu": "3"}}, []string{"CPU0", "CPU3"}},
		{"what all share", []Labels{
			{"transport": "shm", "subscriber": "1"},
			{"transport": "shm", "subscriber": "2"},
		}, []string{"subscriber1", "subscriber2"}},
		{"several", []Labels{
			{"what": "service", "size": "16"},
			{"what": "response", "size": "64"},
		}, []string{"size16 service", "size64 response"}},
		{"messages", []Labels{
			{"notifier": "futex", "rate": "10", "size": "64K", "transport": "shm", "what": "service"},
			{"rate": "100", "size": "1M", "transport": "tcp", "what": "service"},
		}, []string{"shm futex 64K 10 Hz", "tcp 1M 100 Hz"}},
		{"a label that one lacks", []Labels{{"cpu": "1"}, {}}, []string{"CPU1", ""}},
		{"none", nil, []string{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var series []SeriesInfo
			for i, l := range test.labels {
				series = append(series, SeriesInfo{ID: i, Labels: l})
			}
			if diff := cmp.Diff(test.want, Names(series)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAlike leaves what some series have in another way, or not at all.
func TestAlike(t *testing.T) {
	run := &Run{}
	err := run.Put(&Header{Series: []SeriesInfo{
		{ID: 0, Labels: Labels{"transport": "shm", "size": "16B", "rate": "10", "what": "service", "subscriber": "1"}},
		{ID: 1, Labels: Labels{"transport": "shm", "size": "16B", "rate": "10", "what": "fill"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := run.Alike().Words(), "shm 16B 10 Hz"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := new(Run).Alike().Words(); got != "" {
		t.Errorf("without series: %q, want nothing", got)
	}
}
