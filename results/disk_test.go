package results

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// smallDisk mounts a tmpfs of size bytes and returns its folder.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size)
	if errors.Is(err, unix.EPERM) {
		t.Skip("mounting a tmpfs needs CAP_SYS_ADMIN")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// TestDiskFull fills the disk in mid-run and frees it again: one error, no torn
// line, and an end with everything in it.
func TestDiskFull(t *testing.T) {
	dir := smallDisk(t, "64k")
	path := filepath.Join(dir, "a.run")
	w, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	want := &Run{Keep: KeepTotals}
	errs := 0
	put := func(rec Record) {
		t.Helper()
		if err := want.Put(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Put(rec); errors.Is(err, unix.ENOSPC) {
			errs++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	seconds := int64(0)
	second := func() {
		t.Helper()
		seconds++
		put(&Interval{At: seconds * 1e9, Seconds: 1, Tally: tally(seconds*1e9, seconds, 2*seconds, 4000*seconds)})
		put(&Load{At: seconds * 1e9, Kinds: map[string]Rate{"fork": {1, "fork/s"}}})
	}
	put(&Header{Series: []SeriesInfo{{ID: 0}}})
	for range 10 {
		second()
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 64<<10), 0o666); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("filling the disk: %v", err)
	}
	for range 100 {
		second()
	}
	if errs != 1 {
		t.Errorf("%d errors while the disk was full, want 1", errs)
	}
	if kinds := types(t, path); kinds[len(kinds)-1] == "end" { // and every line is whole
		t.Errorf("lines %v", kinds)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	second()
	logged := len(types(t, path))
	for name, keep := range map[string]Keep{"all": KeepAll, "figures": KeepFigures, "totals": KeepTotals} {
		runs, err := Read(keep, path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Totals(), runs[0].Totals(), same); diff != "" {
			t.Errorf("totals after the gap, keeping %s (-want +got):\n%s", name, diff)
		}
	}
	second()
	put(&End{Reason: "duration", Seconds: float64(seconds)})
	if err := w.Close(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Close returns %v, want the first error", err)
	}
	runs, err := Read(KeepAll, path)
	if err != nil {
		t.Fatal(err)
	}
	got := runs[0]
	if diff := cmp.Diff(want.Totals(), got.Totals(), same); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	records := int(1 + 2*seconds + 1)
	if lines := len(types(t, path)); got.End.Unlogged != records-(lines-checkpoints(t, path)) || got.End.Unlogged < 100 {
		t.Errorf("%d unlogged of %d records, %d lines (%d before the end)", got.End.Unlogged, records, lines, logged)
	}
}

func checkpoints(t *testing.T, path string) (n int) {
	for _, kind := range types(t, path) {
		if kind == "checkpoint" {
			n++
		}
	}
	return n
}

// TestDiskFullFromTheStart has no room for the header until the end.
func TestDiskFullFromTheStart(t *testing.T) {
	dir := smallDisk(t, "16k")
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 16<<10), 0o666); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a.run")
	w, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	records := script()
	if err := w.Put(records[0]); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("the header: %v, want %v", err, unix.ENOSPC)
	}
	for i, rec := range records[1:] {
		if i == 5 {
			os.Remove(ballast)
		}
		if err := w.Put(rec); err != nil {
			t.Fatalf("said twice: %v", err)
		}
	}
	if err := w.Close(); !errors.Is(err, unix.ENOSPC) {
		t.Errorf("Close returns %v, want the first error", err)
	}
	runs, err := Read(KeepAll, path)
	if err != nil {
		t.Fatal(err)
	}
	want := collect(t, KeepTotals, records)
	if diff := cmp.Diff(want.Totals(), runs[0].Totals(), same); diff != "" || runs[0].End.Unlogged != 6 {
		t.Errorf("%d unlogged, want 6; totals (-want +got):\n%s", runs[0].End.Unlogged, diff)
	}
}
