package shm

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigRefused(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		want   string
	}{
		{"many subscribers", Config{Subscribers: 65}, "65 subscribers"},
		{"no credit", Config{Depth: -1}, "depth -1"},
		{"empty class", Config{Classes: []Class{{64, 0}}}, "0 chunks of 64 bytes"},
		{"shrinking classes", Config{Classes: []Class{{4096, 1}, {64, 1}}}, "must grow"},
		{"notifier", Config{Notifier: 99}, "unknown notifier"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := New(test.config)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestLayoutSurvivesItsHeader(t *testing.T) {
	c, err := Config{Subscribers: 3, Depth: 5, Notifier: Eventfd}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	want := layoutOf(c)
	control := make([]byte, want.controlBytes())
	want.write(control)
	got, err := readLayout(control)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(layout{})); diff != "" {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
}

// FuzzLayout checks that no header makes a reader reach outside the files whose
// sizes it was checked against.
func FuzzLayout(f *testing.F) {
	c, _ := Config{}.withDefaults()
	control := make([]byte, layoutOf(c).controlBytes())
	layoutOf(c).write(control)
	f.Add(control[:headBytes])
	f.Add(bytes.Repeat([]byte{0xff}, headBytes))
	f.Fuzz(func(t *testing.T, head []byte) {
		l, err := readLayout(head)
		if err != nil {
			return
		}
		if l.controlBytes() <= 0 || l.dataBytes() <= 0 || l.chunks() <= 0 {
			t.Fatalf("control %d, data %d bytes, %d chunks", l.controlBytes(), l.dataBytes(), l.chunks())
		}
		if n := l.controlBytes(); n < 1<<24 {
			l.ring(make([]byte, n), l.subs-1)
		}
	})
}
