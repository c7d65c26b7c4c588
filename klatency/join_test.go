package klatency

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJoin(t *testing.T) {
	j := join{half: 50}
	for _, due := range []int64{100, 200, 300, 401, 500} {
		j.add(row{due: due, late: due + 7})
	}
	var alone []int64
	take := func(due int64) int64 {
		r, ok := j.take(due, func(r row) { alone = append(alone, r.due) })
		if !ok {
			return 0
		}
		return r.due
	}
	for _, test := range []struct {
		due, want int64
		behind    bool
	}{
		{0, 0, false},     // before the first sample
		{200, 200, false}, // 100 had no wake-up
		{300, 300, false},
		{400, 401, false}, // to half a period
		{600, 0, true},    // its sample is still to come; 500 is alone
	} {
		if got := j.behind(test.due); got != test.behind {
			t.Errorf("behind %d: %t", test.due, got)
		}
		if got := take(test.due); got != test.want {
			t.Errorf("take %d: %d, want %d", test.due, got, test.want)
		}
	}
	j.add(row{due: 700})
	j.rest(func(r row) { alone = append(alone, r.due) })
	if diff := cmp.Diff([]int64{100, 500, 700}, alone); diff != "" {
		t.Errorf("samples without wake-up (-want +got):\n%s", diff)
	}
}
