// Package tracefs reads and sets the kernel's tracer (Documentation/trace/ftrace.rst),
// and puts back every setting it changed: at Close, or, after a kill, when the
// next process opens it.
package tracefs

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// An FS is the machine's tracefs. Its methods may be called from one goroutine
// only.
type FS struct {
	dir   string
	mount int // descriptor of a mount of our own, else -1
	state state
}

// Open finds where tracefs is mounted. Where it isn't, it mounts it for this
// process alone: such a mount has no place in the tree and ends with it. What
// killed processes have left behind is put back. It needs root; errors carry
// their remedy.
func Open() (*FS, error) {
	f := &FS{mount: -1}
	dir, err := mounted("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("find tracefs: %w", err)
	}
	if f.dir = dir; dir == "" {
		if f.mount, err = mount(); err != nil {
			// Such as that of Linux before 5.2, which attaches every mount somewhere.
			byHand := remedy.Unavailable(err, "mount it by hand: mount -t tracefs tracefs /sys/kernel/tracing")
			return nil, explain(fmt.Errorf("mount tracefs: %w", byHand))
		}
		f.dir = fmt.Sprintf("/proc/self/fd/%d", f.mount)
	}
	if _, err := os.ReadFile(f.Path("current_tracer")); err != nil {
		f.unmount()
		return nil, explain(fmt.Errorf("read the current tracer: %w", err))
	}
	if err := f.recover(); err != nil {
		f.unmount()
		return nil, err
	}
	return f, nil
}

// explain tells who may trace.
func explain(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return remedy.Unavailable(err, "tracing needs root; kernel lockdown, and some containers, forbid it to root as well")
	case errors.Is(err, unix.ENODEV), errors.Is(err, fs.ErrNotExist):
		return remedy.Unavailable(err, "this kernel has no tracer: it needs CONFIG_FTRACE and CONFIG_TRACING")
	}
	return err
}

// mounted returns where tracefs is mounted whole, "" where it isn't. The format
// is that of proc_pid_mountinfo(5).
func mounted(mountinfo string) (string, error) {
	file, err := os.Open(mountinfo)
	if err != nil {
		return "", err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		before, after, _ := strings.Cut(lines.Text(), " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if len(left) > 4 && len(right) > 0 && right[0] == "tracefs" && left[3] == "/" {
			return unescape(left[4]), nil
		}
	}
	return "", lines.Err()
}

// unescape turns the octal escapes of a mount point back.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// mount makes a mount that is attached nowhere.
func mount() (int, error) {
	context, err := unix.Fsopen("tracefs", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(context)
	if err := unix.FsconfigCreate(context); err != nil {
		return -1, err
	}
	return unix.Fsmount(context, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
}

func (f *FS) unmount() {
	if f.mount >= 0 {
		unix.Close(f.mount)
	}
}

// Path is the path of one of the tracer's files.
func (f *FS) Path(name string) string { return filepath.Join(f.dir, name) }

// Has tells whether the kernel has such a file.
func (f *FS) Has(name string) bool {
	_, err := os.Stat(f.Path(name))
	return err == nil
}

// Read returns a file's text without the white space around it.
func (f *FS) Read(name string) (string, error) {
	b, err := os.ReadFile(f.Path(name))
	return strings.TrimSpace(string(b)), err
}

// Set writes a setting. What it was before is put back by Close.
func (f *FS) Set(name, value string) error {
	old, err := f.Read(name)
	if err != nil {
		return fmt.Errorf("read trace setting %s: %w", name, err)
	}
	if err := f.keep(name, chosen(old)); err != nil {
		return err
	}
	return f.write(name, value)
}

// SetOption sets one of the options that a file such as osnoise/options lists,
// by its name, with NO_ before it to unset it. What it was before is put back by
// Close.
func (f *FS) SetOption(name, option string) error {
	all, err := f.Read(name)
	if err != nil {
		return fmt.Errorf("read trace options %s: %w", name, err)
	}
	if slices.Contains(strings.Fields(all), option) {
		return nil
	}
	old, unset := strings.CutPrefix(option, "NO_")
	if !unset {
		old = "NO_" + option
	}
	f.state.Settings = append(f.state.Settings, setting{name, old})
	if err := f.state.save(); err != nil {
		return err
	}
	return f.write(name, option)
}

// chosen is what to write to get a setting back that reads as text: of a list
// of choices the one in brackets.
func chosen(text string) string {
	if _, after, ok := strings.Cut(text, "["); ok {
		text, _, _ = strings.Cut(after, "]")
	}
	return text
}

func (f *FS) write(name, value string) error {
	if err := os.WriteFile(f.Path(name), []byte(value), 0); err != nil {
		return fmt.Errorf("set trace setting %s to %q: %w", name, value, err)
	}
	return nil
}

// Instance makes a trace buffer of our own, with events and a tracer of its
// own, and returns its folder, to be joined with the names of its files. Close
// removes it.
func (f *FS) Instance() (string, error) {
	name := filepath.Join("instances", fmt.Sprintf("worstcase-%d", os.Getpid()))
	if err := f.keepInstance(name); err != nil {
		return "", err
	}
	if err := os.Mkdir(f.Path(name), 0o700); err != nil {
		return "", fmt.Errorf("make trace instance %s: %w", name, err)
	}
	return name, nil
}

// Close puts all settings back and removes the instances; no file in them may
// be open any more.
func (f *FS) Close() error {
	err := f.restore(&f.state)
	f.unmount()
	return err
}
