package loadgen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLimits holds a load to its limits, by the kernel's own account.
func TestLimits(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	const memory = 96 << 20
	l := New(Config{
		Kinds: []Spec{{Kind: "cpu", Count: 2}, {Kind: "memory"}}, Memory: memory, Quota: 0.5, Weight: 10000, Pids: 300,
	})
	start(t, l)
	j, err := readJournal(filepath.Join(l.host.stateDir(), l.journalName()))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{
		"memory.limit_in_bytes memory.max": memory,
		"pids.max":                         300,
		"cpu.shares cpu.weight":            -1,
		"cpu.cfs_quota_us cpu.max":         50_000,
	} {
		got, ok := limit(j.Groups, name)
		if !ok || want >= 0 && got != want {
			t.Errorf("%s is %d (%v), want %d", name, got, ok, want)
		}
	}
	before, err := cpuTime(l)
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	most := int64(0)
	for time.Since(begin) < time.Second {
		if used, ok := limit(j.Groups, "memory.usage_in_bytes memory.current"); ok {
			most = max(most, used)
		}
		time.Sleep(5 * time.Millisecond)
	}
	after, err := cpuTime(l)
	if err != nil {
		t.Fatal(err)
	}
	// What it may use of a second, and of a period that the second cuts.
	if used := after - before; used > 0.5*time.Since(begin).Seconds()+0.2 {
		t.Errorf("used %.2f s of CPU time, more than half a CPU", used)
	}
	if most == 0 || most > memory {
		t.Errorf("took %d bytes, want up to %d", most, memory)
	}
	if err := l.Err(); err != nil {
		t.Errorf("within its limits the load failed: %v", err)
	}
	if err := l.Stop(); err != nil {
		t.Error(err)
	}
}

// limit reads the first number of the first file of these names.
func limit(dirs []string, names string) (int64, bool) {
	for _, dir := range dirs {
		for _, name := range strings.Fields(names) {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				continue
			}
			var n int64
			if _, err := fmt.Sscan(string(b), &n); err == nil {
				return n, true
			}
		}
	}
	return 0, false
}
