package sampler

import (
	"os"
	"path/filepath"
	"testing"
)

// TestForsaken lets two parents be silent for three seconds, one of them while
// it is stopped: that one has two seconds from when it goes on.
func TestForsaken(t *testing.T) {
	stat := filepath.Join(t.TempDir(), "stat")
	be := func(state string) {
		if err := os.WriteFile(stat, []byte("7 (a) b) "+state+" 1 7"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	be("S")
	file, err := os.Open(stat)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	watching := func(started uint32) *monitor {
		m := &monitor{shared: &shared{words: make([]uint32, wordBeat+1)}, state: int(file.Fd())}
		m.shared.words[wordGo] = started
		return m
	}
	// after is in which tick of the next n the parent is given up, 0 for none.
	after := func(m *monitor, n int) int {
		for i := range n {
			if m.forsaken() {
				return i + 1
			}
		}
		return 0
	}

	if got := after(watching(0), 3*silent); got != 0 {
		t.Errorf("given up in tick %d before go", got)
	}
	m := watching(1)
	if got := after(m, silent); got != 0 {
		t.Errorf("given up in tick %d", got)
	}
	m.shared.words[wordBeat]++
	if got := after(m, 3*silent); got != silent+2 {
		t.Errorf("given up in tick %d after the last heartbeat, want %d", got, silent+2)
	}
	m = watching(1)
	be("T")
	if got := after(m, 12); got != 0 {
		t.Errorf("given up in tick %d while stopped", got)
	}
	be("S")
	if got := after(m, 3*silent); got != silent+1 {
		t.Errorf("given up in tick %d after it goes on, want %d", got, silent+1)
	}
}
