// Package golden compares texts with files that hold what they must be.
package golden

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check compares got with a file exactly. With update it writes the file anew
// first.
func Check(t testing.TB, file, got string, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
