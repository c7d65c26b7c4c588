package kernels

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// An archive is the contents of an initramfs by absolute path. Folders are made
// as they are needed.
type archive map[string]entry

// An entry is one file: its mode with the type bits of stat, its device number
// when it is one, and its contents.
type entry struct {
	mode         uint32
	major, minor uint32
	data         []byte
}

// The file types in a mode.
const (
	modeFile   = 0o100000
	modeFolder = 0o040000
	modeChar   = 0o020000
)

// writeTo writes the archive in cpio's "newc" form, as the kernel's
// Documentation/driver-api/early-userspace/buffer-format.rst has it. It needs
// no privilege, not even for devices.
func (a archive) writeTo(w io.Writer) error {
	all := maps.Clone(a)
	for name := range a {
		for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
			if _, there := all[dir]; !there {
				all[dir] = entry{mode: modeFolder | 0o755}
			}
		}
	}
	for i, name := range slices.Sorted(maps.Keys(all)) { // a folder before what is in it
		if err := writeEntry(w, i+1, strings.TrimPrefix(name, "/"), all[name]); err != nil {
			return err
		}
	}
	return writeEntry(w, 0, "TRAILER!!!", entry{})
}

// writeEntry writes a header of hexadecimal fields, the name and the data, each
// padded to four bytes.
func writeEntry(w io.Writer, inode int, name string, e entry) error {
	links := 1
	if e.mode&modeFolder != 0 {
		links = 2
	}
	header := fmt.Sprintf("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\x00",
		inode, e.mode, 0, 0, links, 0, len(e.data), 0, 0, e.major, e.minor, len(name)+1, 0, name)
	for _, part := range [][]byte{[]byte(header), e.data} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("write an initramfs: %w", err)
		}
		if _, err := w.Write(make([]byte, (4-len(part)%4)%4)); err != nil {
			return fmt.Errorf("write an initramfs: %w", err)
		}
	}
	return nil
}
