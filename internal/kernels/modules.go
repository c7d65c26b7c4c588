package kernels

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A module is a kernel module, uncompressed.
type module struct {
	name string
	data []byte
}

// modules returns the named modules and all that they depend on, in the order
// in which they must be loaded. Those built into the kernel are left out.
// Dependencies are read from the modules themselves (their .modinfo section),
// so that no depmod is needed.
func (k *Kernel) modules(names ...string) ([]module, error) {
	files := map[string]string{}
	err := filepath.WalkDir(k.Modules, func(path string, d fs.DirEntry, err error) error {
		if name, _, ok := strings.Cut(filepath.Base(path), ".ko"); err == nil && ok && !d.IsDir() {
			files[canonical(name)] = path
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the modules of %s: %w", k.Name, err)
	}
	builtin, err := os.ReadFile(filepath.Join(k.Modules, "modules.builtin"))
	if err != nil {
		return nil, fmt.Errorf("list the built-in modules of %s: %w", k.Name, err)
	}
	var list []module
	var load func(name string) error
	load = func(name string) error {
		name = canonical(name)
		if slices.ContainsFunc(list, func(m module) bool { return m.name == name }) {
			return nil
		}
		path, ok := files[name]
		if !ok {
			if bytes.Contains(bytes.ReplaceAll(builtin, []byte("-"), []byte("_")), []byte("/"+name+".ko\n")) {
				return nil
			}
			return fmt.Errorf("kernel %s has no module %s: %w", k.Name, name, errors.ErrUnsupported)
		}
		data, err := readModule(path)
		if err != nil {
			return fmt.Errorf("read module %s: %w", name, err)
		}
		needs, err := dependencies(data)
		if err != nil {
			return fmt.Errorf("read module %s: %w", name, err)
		}
		for _, n := range needs {
			if err := load(n); err != nil {
				return err
			}
		}
		list = append(list, module{name, data})
		return nil
	}
	for _, n := range names {
		if err := load(n); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// canonical is a module's name as the kernel has it: file names may have dashes.
func canonical(name string) string { return strings.ReplaceAll(name, "-", "_") }

// readModule reads a module's file, compressed or not.
func readModule(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil || strings.HasSuffix(path, ".ko") {
		return data, err
	}
	return decompress(data)
}

// dependencies are the modules that a module names as its "depends".
func dependencies(data []byte) ([]string, error) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	section := f.Section(".modinfo")
	if section == nil {
		return nil, errors.New("it has no section .modinfo")
	}
	info, err := section.Data()
	if err != nil {
		return nil, err
	}
	for _, field := range bytes.Split(info, []byte{0}) {
		if names, ok := strings.CutPrefix(string(field), "depends="); ok && names != "" {
			return strings.Split(names, ","), nil
		}
	}
	return nil, nil
}
