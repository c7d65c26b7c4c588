package results

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"
)

// write puts all records into a log at path.
func write(t *testing.T, path string, extend bool, records ...Record) {
	t.Helper()
	w, err := Create(path, extend)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range records {
		if err := w.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// types lists the record types of a log, and fails where a line isn't JSON.
func types(t *testing.T, path string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		rec, err := parseRecord(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil || !bytes.HasSuffix(line, []byte("\n")) {
			t.Fatalf("line %q: %v", line, err)
		}
		list = append(list, rec.recordType())
	}
	return list
}

func TestWriterKeepsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.run")
	records := script()
	write(t, path, false, records...)
	runs, err := Read(KeepAll, path)
	if err != nil {
		t.Fatal(err)
	}
	want := collect(t, KeepAll, records)
	want.Source = path
	if len(runs) != 1 {
		t.Fatalf("%d runs, want 1", len(runs))
	}
	if _, ok := runs[0].End.After["log.slowest_sync_ns"]; !ok {
		t.Error("the end doesn't tell the slowest sync")
	}
	delete(runs[0].End.After, "log.slowest_sync_ns")
	if diff := cmp.Diff(want, runs[0], same); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

func TestWriterWritesOncePerLine(t *testing.T) {
	var writes []string
	w := NewWriter(writerFunc(func(b []byte) (int, error) {
		writes = append(writes, string(b))
		return len(b), nil
	}))
	for _, rec := range script() {
		if err := w.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if len(writes) != len(script()) {
		t.Errorf("%d writes for %d records", len(writes), len(script()))
	}
	for _, s := range writes {
		if strings.Count(s, "\n") != 1 || s[len(s)-1] != '\n' {
			t.Errorf("a write of %q", s)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestWriterCheckpoints(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.run")
	records := []Record{&Header{Series: []SeriesInfo{{ID: 0}, {ID: 1}}}}
	for i := range int64(150) {
		for series := range 2 {
			records = append(records, &Interval{Series: series, At: (i + 1) * 1e9, Seconds: 1, Tally: tally(i*1e9, 5000+i, 7)})
		}
	}
	records = append(records, &Checkpoint{At: 150e9}) // must be passed over
	write(t, path, false, records...)
	var got []int
	for i, kind := range types(t, path) {
		if kind == "checkpoint" {
			got = append(got, i)
		}
	}
	if want := []int{1 + 2*60, 1 + 2*120 + 1}; !slices.Equal(got, want) {
		t.Errorf("checkpoints at lines %v, want %v", got, want)
	}
	want := collect(t, KeepAll, records[:len(records)-1])
	for name, keep := range map[string]Keep{"all": KeepAll, "figures": KeepFigures, "totals": KeepTotals} {
		runs, err := Read(keep, path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Totals(), runs[0].Totals(), same); diff != "" {
			t.Errorf("totals, keeping %s (-want +got):\n%s", name, diff)
		}
		if !runs[0].Truncated() || runs[0].Seconds() != 150 || len(runs[0].Warnings) != 0 {
			t.Errorf("keeping %s: truncated %v, %v s, warnings %q", name, runs[0].Truncated(), runs[0].Seconds(), runs[0].Warnings)
		}
	}
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := func(name, content string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return p
	}
	tests := []struct {
		name   string
		path   string
		extend bool
		want   error
	}{
		{"new", filepath.Join(dir, "new"), false, nil},
		{"new to extend", filepath.Join(dir, "new2"), true, nil},
		{"exists", path("exists", ""), false, fs.ErrExist},
		{"empty to extend", path("empty", ""), true, nil},
		{"something else", path("else", "root:x:0:0"), true, ErrNotLog},
		{"no folder", filepath.Join(dir, "none", "a"), false, fs.ErrNotExist},
		{"a folder", dir, true, unix.EISDIR},
		{"a device", "/dev/null", false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := Create(tt.path, tt.extend)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if err == nil {
				if err := w.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "else")); string(got) != "root:x:0:0" {
		t.Errorf("the file that isn't a log became %q", got)
	}
}

func TestCreateInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.run")
	w, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, true); !errors.Is(err, ErrInUse) {
		t.Errorf("a second writer: %v, want %v", err, ErrInUse)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w, err = Create(path, true)
	if err != nil {
		t.Fatalf("after Close: %v", err)
	}
	w.Close()
}

func TestAppendAfterTornLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.run")
	write(t, path, false, script()[:5]...)
	text, _ := os.ReadFile(path)
	if err := os.WriteFile(path, text[:len(text)-9], 0o666); err != nil {
		t.Fatal(err)
	}
	write(t, path, true, script()...)
	runs, err := Read(KeepAll, path)
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || !runs[0].Truncated() || runs[1].Truncated() {
		t.Fatalf("%d runs, the first whole or the second cut short", len(runs))
	}
	if want := []string{"passed over: 1 torn line"}; !slices.Equal(runs[0].Warnings, want) {
		t.Errorf("warnings %q, want %q", runs[0].Warnings, want)
	}
}

func TestSyncsBesideTheWriting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.run")
	w, err := Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	w.SyncEvery = time.Nanosecond
	for _, rec := range script() {
		if err := w.Put(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.SlowestSync() <= 0 {
		t.Error("no sync was timed")
	}
}

func TestWriterToBrokenPipe(t *testing.T) {
	calls := 0
	w := NewWriter(writerFunc(func([]byte) (int, error) {
		calls++
		return 0, unix.EPIPE
	}))
	for i, rec := range script() {
		if err := w.Put(rec); (i == 0) != errors.Is(err, unix.EPIPE) {
			t.Errorf("record %d: %v", i, err)
		}
	}
	if calls != 1 {
		t.Errorf("%d writes, want 1", calls)
	}
}

func TestWriterRefusesOrder(t *testing.T) {
	w := NewWriter(new(bytes.Buffer))
	for _, rec := range []Record{&Interval{}, &Load{}, &End{}} {
		if err := w.Put(rec); err == nil {
			t.Errorf("%s record taken before the run record", rec.recordType())
		}
	}
}

// TestWriterSetsSchema: an imported run has none.
func TestWriterSetsSchema(t *testing.T) {
	var b bytes.Buffer
	header := &Header{Schema: 0}
	if err := NewWriter(&b).Put(header); err != nil {
		t.Fatal(err)
	}
	if want := `{"type":"run","schema":1,`; !strings.HasPrefix(b.String(), want) || header.Schema != 0 {
		t.Errorf("%s doesn't begin with %s, or the header was changed", b.String(), want)
	}
}

// TestWriterTakesSeveralRuns: one log holds the cells of a set.
func TestWriterTakesSeveralRuns(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	for range 3 {
		for _, rec := range script() {
			if err := w.Put(rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs, err := ReadFrom(KeepFigures, &b, "buffer")
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 3 {
		t.Fatalf("%d runs, want 3", len(runs))
	}
	if diff := cmp.Diff(runs[0], runs[2], same, cmpopts.IgnoreFields(Run{}, "Source")); diff != "" {
		t.Errorf("first and last differ:\n%s", diff)
	}
}
