package compare

import (
	"testing"
	"time"
)

func TestParseMargin(t *testing.T) {
	tests := []struct {
		in   string
		want Margin
		bad  bool
	}{
		{"5%", Margin{Relative: 0.05}, false},
		{"1us", Margin{Absolute: time.Microsecond}, false},
		{"2.5%, 300ns", Margin{0.025, 300}, false},
		{"0%", Margin{}, true},
		{"", Margin{}, true},
		{"5", Margin{}, true},
		{"-5%", Margin{}, true},
		{"NaN%", Margin{}, true},
		{"-1us", Margin{}, true},
	}
	for _, test := range tests {
		got, err := ParseMargin(test.in)
		if (err != nil) != test.bad {
			t.Errorf("ParseMargin(%q): error %v", test.in, err)
			continue
		}
		if err == nil && got != test.want {
			t.Errorf("ParseMargin(%q) = %v, want %v", test.in, got, test.want)
		}
		if again, _ := ParseMargin(got.String()); err == nil && again != got {
			t.Errorf("ParseMargin(%q) after String = %v, want %v", got.String(), again, got)
		}
	}
}
