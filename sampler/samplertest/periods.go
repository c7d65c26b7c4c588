package samplertest

import (
	"testing"
	"time"

	"worstcase/results"
)

// CheckPeriods wants each period of a run to be in one figure of every series,
// to one, and no figure to contradict another.
func CheckPeriods(t testing.TB, end *results.End, period time.Duration) {
	t.Helper()
	want := int64(end.Seconds * 1e9 / float64(period))
	for i := range end.Series {
		s := &end.Series[i]
		got := s.Samples() + s.Lost + s.Overruns + s.Throttled
		if got < want-1 || got > want+1 {
			t.Errorf("series %d: %d samples + %d lost + %d overruns + %d throttled = %d, want %d ± 1",
				s.ID, s.Samples(), s.Lost, s.Overruns, s.Throttled, got, want)
		}
	}
	for _, line := range results.Contradictions(end, period) {
		t.Error(line)
	}
}
