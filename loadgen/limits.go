package loadgen

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// A machine answers what a load must know of its host before it starts. Its
// root is "/" but for tests.
type machine struct{ root string }

// available is the memory in bytes that can be taken without swapping:
// MemAvailable of /proc/meminfo, or less where the caller's own cgroup leaves less.
func (m machine) available() (int64, error) {
	path := filepath.Join(m.root, "proc/meminfo")
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("read available memory: %w", err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		value, ok := strings.CutPrefix(s.Text(), "MemAvailable:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read MemAvailable of %s: %w", path, err)
		}
		return min(kib<<10, m.groupRoom()), nil
	}
	return 0, fmt.Errorf("%s has no MemAvailable", path)
}

// groupRoom is what the caller's memory cgroup still allows, in bytes.
func (m machine) groupRoom() int64 {
	const unlimited = int64(1) << 62
	groups, err := os.ReadFile(filepath.Join(m.root, "proc/self/cgroup"))
	if err != nil {
		return unlimited
	}
	for line := range strings.Lines(string(groups)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		dir, limit, used := "sys/fs/cgroup"+f[2], "memory.max", "memory.current"
		if f[1] == "memory" {
			dir, limit, used = "sys/fs/cgroup/memory"+f[2], "memory.limit_in_bytes", "memory.usage_in_bytes"
		} else if f[1] != "" {
			continue
		}
		most, err1 := readInt(filepath.Join(m.root, dir, limit))
		now, err2 := readInt(filepath.Join(m.root, dir, used))
		if err1 == nil && err2 == nil && most < unlimited {
			return max(most-now, 0)
		}
	}
	return unlimited
}

func readInt(path string) (int64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
}

// boundMemory sets the memory limit and refuses one that would make the machine
// swap, or the default where it is too little for the kinds.
func (c Config) boundMemory(m machine) (Config, error) {
	free, err := m.available()
	if err != nil {
		return c, err
	}
	if c.Memory == 0 {
		c.Memory = free / 4
	}
	if c.Memory > free/10*9 {
		return c, remedy.Unavailable(fmt.Errorf("give the load %d MiB of memory: %d MiB are available, and the machine would swap", c.Memory>>20, free>>20),
			fmt.Sprintf("ask for at most %d MiB", free/10*9>>20))
	}
	if c.Memory < c.leastMemory() {
		return c, remedy.Unavailable(fmt.Errorf("run %d load processes in a quarter of the %d MiB that are available: they need %d MiB",
			c.workers(), free>>20, c.leastMemory()>>20), "name the memory that the load may take or start fewer kinds")
	}
	return c, nil
}

// boundDisk finds a directory for io and makes sure that it has twice the room
// that io may take.
func (c Config) boundDisk(m machine) (Config, error) {
	if c.count(func(k Kind) bool { return k.Disk }) == 0 {
		return c, nil
	}
	dirs := []string{c.Dir}
	if c.Dir == "" {
		dirs = []string{filepath.Join(m.root, "var/tmp"), os.TempDir()}
	}
	var why error
	for _, dir := range dirs {
		if why = hasRoom(dir, 2*c.Disk, c.Dir != ""); why == nil {
			c.Dir = dir
			return c, nil
		}
	}
	return c, remedy.Unavailable(fmt.Errorf("find %d MiB of disk for the load: %w", 2*c.Disk>>20, why),
		"name another directory, or allow less disk")
}

// hasRoom tells why dir is not good for size bytes. A file system in memory is
// only good when the user chose it.
func hasRoom(dir string, size int64, chosen bool) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return fmt.Errorf("look at %s: %w", dir, err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is no directory", dir))
	}
	if magic := uint32(fs.Type); !chosen && (magic == unix.TMPFS_MAGIC || magic == unix.RAMFS_MAGIC) {
		return fmt.Errorf("%s is in memory", dir)
	}
	if free := int64(fs.Bavail) * int64(fs.Bsize); free < size {
		return fmt.Errorf("%s has %d MiB free", dir, free>>20)
	}
	return unix.Access(dir, unix.W_OK)
}
