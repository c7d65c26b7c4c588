package kernels

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"worstcase/internal/kernels/job"
)

// A Command is run in a guest; a Result is what became of it.
type (
	Command = job.Command
	Result  = job.Result
)

// A Guest is a machine to be. It has the kernel's file systems mounted where
// they belong (proc, sys, dev, tracefs, debugfs, cgroup2, bpf), tmpfs in /tmp
// and /run, and the loopback interface up.
type Guest struct {
	Kernel *Kernel
	// CPUs is how many there are, 1 when 0. Icount allows one.
	CPUs int
	// Icount makes the guest's clock count instructions, a ns each: time repeats
	// and the host's load does not show.
	Icount bool
	// Memory in MiB, 512 when 0.
	Memory int
	// Append is added to the kernel's command line.
	Append string
	// Modules are loaded before the commands, with what they depend on.
	Modules []string
	// Files are put into the guest: the path there, and the path of a file or a
	// folder here.
	Files map[string]string
	// Settle is how long the guest idles after its start, in its own time: five
	// seconds when 0 and Icount costs nothing, else none. A guest that has just
	// started has maxima of milliseconds.
	Settle time.Duration
	// Timeout bounds the whole, five minutes when 0.
	Timeout time.Duration
}

// Run boots the guest, runs the commands in turn, and returns a result for
// each. A command that fails fails no test; a guest that does not come to its
// end does, with the last lines of its console.
func (g *Guest) Run(t testing.TB, commands ...Command) []Result {
	t.Helper()
	begin := time.Now()
	results, err := g.run(t.Context(), t.TempDir(), commands)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("kernel %s under QEMU: %d commands in %.1f s", g.Kernel.Name, len(commands), time.Since(begin).Seconds())
	return results
}

func (g *Guest) run(ctx context.Context, dir string, commands []Command) ([]Result, error) {
	if g.Icount && g.CPUs > 1 {
		return nil, errors.New("boot a guest: counting instructions allows one CPU")
	}
	timeout := g.Timeout
	if timeout == 0 {
		timeout = 5 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	initramfs := filepath.Join(dir, "initramfs.gz")
	if err := g.pack(ctx, initramfs, commands); err != nil {
		return nil, fmt.Errorf("pack the initramfs of %s: %w", g.Kernel.Name, err)
	}
	tool, args := g.command(dir, initramfs)
	qemu := exec.CommandContext(ctx, tool, args...)
	qemu.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said, err := qemu.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("boot %s: %w: %s%s", g.Kernel.Name, err, said, lastWords(filepath.Join(dir, "console")))
		if ctx.Err() != nil {
			err = fmt.Errorf("boot %s: no end after %v: %s", g.Kernel.Name, timeout, lastWords(filepath.Join(dir, "console")))
		}
		return nil, err
	}
	results, err := read(filepath.Join(dir, "results"))
	if err != nil {
		return nil, fmt.Errorf("run %d commands in %s: %w: %s", len(commands), g.Kernel.Name, err, lastWords(filepath.Join(dir, "console")))
	}
	return results, nil
}

// read reads the lines of the results' port. QEMU exits in peace after a panic
// as well: only the last line tells.
func read(path string) (results []Result, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return nil, errors.New("the guest died")
		}
		var l job.Line
		switch err := json.Unmarshal(text, &l); {
		case err != nil:
			return nil, fmt.Errorf("read a result: %w", err)
		case l.Error != "":
			return nil, errors.New(l.Error)
		case l.Done:
			return results, nil
		case l.Result != nil:
			results = append(results, *l.Result)
		}
	}
}

// pack writes the initramfs: /init, its job, the modules and the files.
func (g *Guest) pack(ctx context.Context, path string, commands []Command) error {
	init := filepath.Join(filepath.Dir(path), "init")
	if err := compile(ctx, g.Kernel, init, "build", "worstcase/internal/kernels/init"); err != nil {
		return fmt.Errorf("build /init: %w", err)
	}
	settle := g.Settle
	if settle == 0 && g.Icount {
		settle = 5 * time.Second
	}
	j := job.Job{Settle: settle, Commands: commands}
	a := archive{"/dev/console": {mode: modeChar | 0o600, major: 5, minor: 1}}
	modules, err := g.Kernel.modules(append([]string{"virtio_pci", "virtio_console"}, g.Modules...)...)
	if err != nil {
		return err
	}
	for _, m := range modules {
		file := "/modules/" + m.name + ".ko"
		a[file] = entry{mode: modeFile | 0o644, data: m.data}
		j.Modules = append(j.Modules, file)
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	a[job.Path] = entry{mode: modeFile | 0o644, data: text}
	if err := a.add("/init", init); err != nil {
		return err
	}
	for to, from := range g.Files {
		if err := a.add(to, from); err != nil {
			return err
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := a.writeTo(z); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}

// add puts a file, or all regular files of a folder, into the archive.
func (a archive) add(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		a[filepath.Join("/", to, rel)] = entry{mode: modeFile | uint32(info.Mode().Perm()), data: data}
		return nil
	})
}

// lastWords returns the end of a console, from where the kernel panicked if it
// did, on indented lines of their own.
func lastWords(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	data = bytes.TrimSpace(bytes.ReplaceAll(data, []byte("\r"), nil))
	lines := bytes.Split(data, []byte("\n"))
	from := max(0, len(lines)-15)
	for i, l := range lines {
		if bytes.Contains(l, []byte("Kernel panic")) {
			from = i
			break
		}
	}
	return "\n    " + string(bytes.Join(lines[from:], []byte("\n    ")))
}
