package switchbench

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
)

// semaphoreKey begins the keys of our System V sets: "wc", and 16 random bits.
const semaphoreKey = 0x7763 << 16

// newSemaphores makes a set of n semaphores. Sets outlive killed processes: those
// that such processes of ours have left are removed first.
func newSemaphores(n int) (int, error) {
	removeLeftSemaphores()
	for {
		id, err := sys.NewSemaphores(semaphoreKey|rand.Int32N(1<<16), n)
		if !errors.Is(err, unix.EEXIST) {
			return id, err
		}
	}
}

// removeLeftSemaphores removes our sets whose makers have ended, as
// /proc/sysvipc/sem shows them: key, id, permissions, number, uid, …
func removeLeftSemaphores() {
	list, err := os.ReadFile("/proc/sysvipc/sem")
	if err != nil {
		return // a kernel without System V semaphores
	}
	for line := range strings.Lines(string(list)) {
		var key, id, mode, n, uid int
		if _, err := fmt.Sscan(line, &key, &id, &mode, &n, &uid); err != nil || key&^0xffff != semaphoreKey || uid != os.Geteuid() {
			continue
		}
		maker, err := sys.SemaphoreMaker(id, n-1)
		if err == nil && errors.Is(unix.Kill(maker, 0), unix.ESRCH) {
			sys.RemoveSemaphores(id) // nobody has it any more; the next start tries again
		}
	}
}
