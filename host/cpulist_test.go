package host

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseCPUList(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     []int
		format   string
	}{
		{"empty", " \n", nil, ""},
		{"one", "3\n", []int{3}, "3"},
		{"list and range", "0-3,6", []int{0, 1, 2, 3, 6}, "0-3,6"},
		{"out of order, twice", "6,0-2,1-3", []int{0, 1, 2, 3, 6}, "0-3,6"},
		{"a pair", "4,5", []int{4, 5}, "4-5"},
		{"a range of one", "2-2", []int{2}, "2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseCPUList(test.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s := FormatCPUList(got); s != test.format {
				t.Errorf("written as %q, want %q", s, test.format)
			}
		})
	}
	for _, in := range []string{"a", "-1", "1-", "3-1", "1,,2", "0-4294967295", "99999", "1;2", "0x3", "1.5"} {
		if cpus, err := ParseCPUList(in); err == nil {
			t.Errorf("%q is read as %v", in, cpus)
		}
	}
}

func TestCPUs(t *testing.T) {
	r := machine(t, "board")
	online, err := r.OnlineCPUs()
	if want := []int{0, 1, 2, 3}; err != nil || !slices.Equal(online, want) {
		t.Errorf("online %v, %v, want %v", online, err, want)
	}
	isolated, err := r.IsolatedCPUs()
	if want := []int{2, 3}; err != nil || !slices.Equal(isolated, want) {
		t.Errorf("isolated %v, %v, want %v", isolated, err, want)
	}
	if _, err := (Reader{Root: t.TempDir()}).OnlineCPUs(); err == nil {
		t.Error("a machine without CPUs is no error")
	}
	if cpus, err := OnlineCPUs(); err != nil || len(cpus) == 0 {
		t.Errorf("this machine's CPUs are %v, %v", cpus, err)
	}
}

func FuzzParseCPUList(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		cpus, err := ParseCPUList(s)
		if err != nil {
			return
		}
		again, err := ParseCPUList(FormatCPUList(cpus))
		if err != nil || !slices.Equal(again, cpus) {
			t.Errorf("%q is %v, comes back as %v, %v", s, cpus, again, err)
		}
	})
}
