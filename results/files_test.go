package results

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	log := text(t, script()...)
	for name, content := range map[string]string{
		"b.run": log, "a/c.jsonl": log + log, "notes.txt": "not a log", "empty": "", ".hidden": log, ".git/x": log, "torn.run": log[:30],
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("b.run", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	runs, err := Read(KeepTotals, dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range runs {
		name, _ := filepath.Rel(dir, r.Source)
		got = append(got, name)
	}
	if want := []string{"a/c.jsonl", "a/c.jsonl", "b.run", "link"}; !slices.Equal(got, want) {
		t.Errorf("runs of %q, want %q", got, want)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("round", filepath.Join(dir, "round")); err != nil {
		t.Fatal(err)
	}
	var unread *Unread
	if runs, err = Read(KeepTotals, dir); !errors.As(err, &unread) || len(unread.Errors) != 1 || len(runs) != 4 {
		t.Errorf("beside a link to itself: %d runs and %v, want 4 and one error", len(runs), err)
	}
	for name, want := range map[string]error{"notes.txt": ErrNotLog, "empty": ErrNotLog, "none": os.ErrNotExist} {
		if _, err := Read(KeepTotals, filepath.Join(dir, name)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}
