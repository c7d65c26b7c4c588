// Package kernels boots Debian's kernels under QEMU and runs commands in them,
// for tests: stock and PREEMPT_RT kernels, with one CPU or several, as root,
// with nothing else running.
//
// Get brings a kernel, Build makes the commands, a Guest runs them:
//
//	k := kernels.Get(t, "6.1-rt-amd64")
//	g := kernels.Guest{Kernel: k, Files: map[string]string{"/bin/klatency": kernels.Build(t, k, "worstcase/cmd/klatency")}}
//	r := g.Run(t, kernels.Command{Args: []string{"klatency", "-T", "2"}})
//	// r[0].Status, r[0].Stdout, r[0].Stderr
//
// Kernels are emulated, also on their own architecture. With Icount time in the
// guest is instructions: it repeats, whatever the host does, and measures our
// code and the kernel's order, never a machine. Without it a guest's latencies
// are those of a busy host. No figure from a guest is a latency of a machine,
// and whoever prints one says so.
package kernels

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Names are the kernels that Get knows: Debian 12's, and those of its
// backports.
func Names() []string {
	return []string{
		"6.1-amd64", "6.1-rt-amd64", "6.1-arm64", "6.1-rt-arm64", "6.1-armmp", "6.1-rt-armmp",
		"6.12-amd64", "6.12-rt-amd64", "6.12-arm64", "6.12-rt-arm64",
	}
}

// Environment names the variable that asks for kernels: their names, separated
// by commas. Without it tests in guests are skipped, since a kernel is a
// download of 60 to 110 MB.
const Environment = "WORSTCASE_KERNELS"

// A Kernel is an unpacked kernel package.
type Kernel struct {
	Name string
	// Release is what uname -r says, such as 6.1.0-44-rt-amd64.
	Release string
	// Image is the kernel to boot, Modules the folder of its modules.
	Image, Modules string
}

// Arch is Go's name of the kernel's architecture.
func (k *Kernel) Arch() string {
	switch {
	case strings.HasSuffix(k.Name, "amd64"):
		return "amd64"
	case strings.HasSuffix(k.Name, "arm64"):
		return "arm64"
	}
	return "arm"
}

// Asked are the kernels that Environment asks for.
func Asked() []string {
	return strings.FieldsFunc(os.Getenv(Environment), func(r rune) bool { return r == ',' || r == ' ' })
}

// Get returns a kernel for a test, downloading it where this was not done
// before. It skips the test when Environment doesn't ask for the kernel.
func Get(t testing.TB, name string) *Kernel {
	t.Helper()
	if !slices.Contains(Asked(), name) {
		t.Skipf("kernel %s is not asked for in %s", name, Environment)
	}
	k, err := Fetch(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Fetch returns a kernel from the cache, or downloads and unpacks it there. It
// needs apt-get, dpkg and xz, no privilege, and minutes when it downloads.
func Fetch(name string) (*Kernel, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("fetch kernel %q: known are %s", name, strings.Join(Names(), ", "))
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = filepath.Join(os.TempDir(), fmt.Sprint("cache-", os.Getuid()))
	}
	cache = filepath.Join(cache, "worstcase", "kernels")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("fetch kernel %s: %w", name, err)
	}
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return nil, fmt.Errorf("fetch kernel %s: %w", name, err)
	}
	defer unlock()
	folder := filepath.Join(cache, name)
	k, err := unpacked(name, folder)
	if errors.Is(err, os.ErrNotExist) {
		if err := download(name, cache, folder); err != nil {
			return nil, fmt.Errorf("fetch kernel %s: %w", name, err)
		}
		k, err = unpacked(name, folder)
	}
	if err != nil {
		return nil, fmt.Errorf("fetch kernel %s: %w", name, err)
	}
	return k, nil
}

// unpacked finds the kernel in its folder. The error wraps os.ErrNotExist when
// it is not there.
func unpacked(name, folder string) (*Kernel, error) {
	k := &Kernel{Name: name}
	images, err := filepath.Glob(filepath.Join(folder, "boot", "vmlinuz-*"))
	if err != nil || len(images) != 1 {
		return nil, fmt.Errorf("find the kernel of %s in %s: %w", name, folder, os.ErrNotExist)
	}
	k.Image = images[0]
	k.Release = strings.TrimPrefix(filepath.Base(k.Image), "vmlinuz-")
	for _, lib := range []string{"lib", "usr/lib"} {
		k.Modules = filepath.Join(folder, lib, "modules", k.Release)
		if _, err = os.Stat(k.Modules); err == nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("find the modules of %s: %w", name, err)
	}
	if plain := filepath.Join(folder, "boot", "vmlinux"); k.Arch() == "amd64" {
		if _, err := os.Stat(plain); err == nil {
			k.Image = plain
		}
	}
	return k, nil
}
