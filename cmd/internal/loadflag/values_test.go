package loadflag

import (
	"strconv"
	"testing"
)

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		text  string
		want  Size
		shown string
	}{
		{"1", 1, "1"},
		{"512M", 512 << 20, "512M"},
		{"512MiB", 512 << 20, "512M"},
		{"1.5g", 1536 << 20, "1536M"},
		{"2T", 2 << 40, "2T"},
		{"1000k", 1000 << 10, "1000K"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			var got Size
			if err := got.Set(tt.text); err != nil || got != tt.want {
				t.Errorf("got %d, %v; want %d", got, err, tt.want)
			}
			if s := got.String(); s != tt.shown {
				t.Errorf("is shown as %q, want %q", s, tt.shown)
			}
		})
	}
	for _, text := range []string{"", "0", "-1", "M", "lots", "NaN", "Inf", "1e30", "1Q", "1MM"} {
		if got := Size(7); got.Set(text) == nil || got != 7 {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

func TestPercent(t *testing.T) {
	for text, want := range map[string]Percent{"50%": 0.5, "150": 1.5, "1%": 0.01, "12.5%": 0.125} {
		var got Percent
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%q is read as %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "0", "0.5%", "-5%", "NaN", "Inf", "half"} {
		if got := Percent(7); got.Set(text) == nil || got != 7 {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]int{"1": 1, "98": 98, "+7": 7} {
		got := 0
		if v := (number{&got, 98}); v.Set(text) != nil || got != want || v.String() != strconv.Itoa(want) {
			t.Errorf("%q is read as %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "99", "1.5", "1e1", "ten", "99999999999999999999"} {
		got := 7
		if (number{&got, 98}).Set(text) == nil || got != 7 {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

// FuzzSize: what is read is positive, and reads again as it is shown.
func FuzzSize(f *testing.F) {
	for _, text := range []string{"512M", "1.5GiB", "1e3", "0x10", "9223372036854775807", "-1T"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got, again Size
		if got.Set(text) != nil {
			return
		}
		if got <= 0 {
			t.Errorf("%q is %d", text, got)
		}
		if err := again.Set(got.String()); err != nil {
			t.Errorf("%q is %d, shown as %q: %v", text, got, got.String(), err)
		}
	})
}
