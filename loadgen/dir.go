package loadgen

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

func dirKind() Kind {
	return Kind{
		Name:     "dir",
		Stresses: "file names: ls -lR of the root, and ps and interrupts from /proc",
		Counter:  "tracepoint syscalls/sys_enter_getdents64",
		Parts: []Part{
			{Name: "walk", Unit: "entry/s", start: startWalk},
			{Name: "proc", Unit: "read/s", start: startProc},
		},
	}
}

// startWalk visits every entry below the root but those that the kernel makes
// up, and looks at each.
func startWalk(w *worker, lanes []*uint32) error {
	queue := []string{"/"}
	return w.thread(lanes[0], func() int {
		if len(queue) == 0 {
			queue = append(queue, "/")
		}
		dir := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		seen, directories := list(dir)
		queue = append(queue, directories...)
		return seen
	})
}

// list stats the entries of dir and returns their number and those that are
// directories.
func list(dir string) (int, []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, nil // gone, or not for us
	}
	var directories []string
	for _, e := range entries {
		if _, err := e.Info(); err != nil || e.Type() != fs.ModeDir {
			continue
		}
		if dir == "/" && (e.Name() == "proc" || e.Name() == "sys") {
			continue
		}
		directories = append(directories, filepath.Join(dir, e.Name()))
	}
	return len(entries), directories
}

// startProc reads what ps reads, and /proc/interrupts.
func startProc(w *worker, lanes []*uint32) error {
	return w.thread(lanes[0], func() int {
		reads := 0
		entries, err := os.ReadDir("/proc")
		if err != nil {
			return 0
		}
		for _, e := range entries {
			if _, err := strconv.Atoi(e.Name()); err != nil {
				continue
			}
			for _, file := range []string{"stat", "status", "cmdline"} {
				if _, err := os.ReadFile("/proc/" + e.Name() + "/" + file); err == nil {
					reads++
				}
			}
		}
		if _, err := os.ReadFile("/proc/interrupts"); err == nil {
			reads++
		}
		return reads
	})
}
