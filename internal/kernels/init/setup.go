package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/kernels/job"
)

// setup mounts the kernel's file systems and loads modules. What a kernel does
// not have is passed over: armhf kernels have no BTF, others no tracefs.
func setup(modules []string) error {
	for _, m := range []struct{ kind, dir string }{
		{"devtmpfs", "/dev"},
		{"proc", "/proc"},
		{"sysfs", "/sys"},
		{"tracefs", "/sys/kernel/tracing"},
		{"debugfs", "/sys/kernel/debug"},
		{"cgroup2", "/sys/fs/cgroup"},
		{"bpf", "/sys/fs/bpf"},
		{"tmpfs", "/tmp"},
		{"tmpfs", "/run"},
		{"tmpfs", "/dev/shm"},
		{"mqueue", "/dev/mqueue"},
	} {
		os.MkdirAll(m.dir, 0o755)
		err := unix.Mount(m.kind, m.dir, m.kind, 0, "")
		if err != nil && !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.ENODEV) && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("mount %s on %s: %w", m.kind, m.dir, err)
		}
	}
	console()
	if err := os.WriteFile("/proc/sys/kernel/printk", []byte("3 4 1 3"), 0o644); err != nil {
		return err
	}
	for _, path := range modules {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), "", 0)
		f.Close()
		if err != nil && !errors.Is(err, unix.EEXIST) {
			return fmt.Errorf("load %s: %w", path, err)
		}
	}
	return nil
}

// console makes the console the three first descriptors.
func console() {
	c, err := os.OpenFile("/dev/console", os.O_RDWR, 0)
	if err != nil {
		return
	}
	for fd := range 3 {
		if int(c.Fd()) != fd {
			unix.Dup3(int(c.Fd()), fd, 0)
		}
	}
}

// openPort waits for the serial port to appear and opens it.
func openPort() (*os.File, error) {
	for range 100 {
		names, err := filepath.Glob("/sys/class/virtio-ports/*/name")
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			name, err := os.ReadFile(n)
			if err != nil || strings.TrimSpace(string(name)) != job.Port {
				continue
			}
			return os.OpenFile("/dev/"+filepath.Base(filepath.Dir(n)), os.O_WRONLY, 0)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, errors.New("find the serial port for the results: it does not appear")
}

// loopbackUp brings the loopback interface up.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("bring lo up: %w", err)
	}
	defer unix.Close(fd)
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("bring lo up: %w", err)
	}
	req.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req); err != nil {
		return fmt.Errorf("bring lo up: %w", err)
	}
	return nil
}
