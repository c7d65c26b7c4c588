package report

import "testing"

func TestSince(t *testing.T) {
	for ns, want := range map[int64]string{
		0:                  "0:00.000",
		7_488_000_000:      "0:07.488",
		3599_999_900_000:   "59:59.999",
		90_061_001_000_000: "25:01:01.001",
	} {
		if got := since(ns); got != want {
			t.Errorf("%d ns: %q, want %q", ns, got, want)
		}
	}
}
