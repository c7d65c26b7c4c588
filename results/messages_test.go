package results

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessageNotes(t *testing.T) {
	for _, test := range []struct {
		name   string
		config map[string]any
		end    *End
		want   []string
	}{
		{"nothing to say", map[string]any{ConfigRate: 100}, &End{Verdict: Pass, After: Figures{"rate_hz": 100, "late": 0}}, nil},
		{"cut short", map[string]any{"scenario": "sensor"}, nil, []string{"sensor", "cut short"}},
		{
			"all",
			map[string]any{ConfigRate: 100, ConfigLoad: "fork", "managed": true},
			&End{Verdict: Fail, After: Figures{"saturated": 1, "rate_hz": 51.2, "late": 3, "corrupt": 1, "drops.ring full": 7, "drops.pool empty": 2}},
			[]string{"under fork", "51/s reached", "1 corrupt", "3 late", "2 by pool empty", "7 by ring full", "with garbage collector", "fail"},
		},
		{"interrupted", nil, &End{Reason: "signal", Verdict: Pass}, []string{"interrupted"}},
		{"as fast as possible", map[string]any{ConfigRate: 0}, &End{Verdict: Pass, After: Figures{"rate_hz": 1234}}, []string{"1234/s reached"}},
		{"published figures", map[string]any{ConfigRate: 0}, &End{Verdict: Pass}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &Run{Header: Header{Config: test.config}, End: test.end}
			if diff := cmp.Diff(test.want, r.MessageNotes()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
