package pairs

import (
	"strings"
	"testing"
)

func TestInterval(t *testing.T) {
	x := []float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}
	// Of ten values the sign test takes the second and the ninth: the chance
	// that fewer than two are on one side is 11 / 1024.
	if low, high := Interval(x); low != 2 || high != 9 {
		t.Errorf("%g to %g, want 2 to 9", low, high)
	}
	if low, high := Interval(x[:1]); low != 10 || high != 10 {
		t.Errorf("of one value: %g to %g", low, high)
	}
}

func TestRatio(t *testing.T) {
	got := Ratio("avg", "ns", []float64{2, 4, 6}, []float64{4, 8, 6}, "theirs")
	if !strings.Contains(got, "ratio 0.500 (0.500 to 1.000); worstcase median 4 ns, min 2; theirs median 6 ns, min 4; 3 pairs") {
		t.Error(got)
	}
}
