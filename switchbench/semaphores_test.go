package switchbench

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"worstcase/internal/sys"
)

// leaveSemaphores, as an argument, makes a process that ends and leaves its set.
const leaveSemaphores = "leave-semaphores"

// TestSemaphoresOfADeadProcessAreRemoved: only those.
func TestSemaphoresOfADeadProcessAreRemoved(t *testing.T) {
	out, err := exec.Command("/proc/self/exe", leaveSemaphores).Output()
	if err != nil {
		t.Fatal(err)
	}
	left, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sys.SemaphoreMaker(left, 1); err != nil {
		t.Fatal("nothing was left:", err)
	}
	var sets []int
	for range 2 {
		id, err := newSemaphores(1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { sys.RemoveSemaphores(id) })
		sets = append(sets, id)
	}
	if _, err := sys.SemaphoreMaker(left, 1); err == nil {
		t.Error("the dead process's set is still there")
	}
	if _, err := sys.SemaphoreMaker(sets[0], 1); err != nil {
		t.Error("a living process's set is gone:", err)
	}
}
