package host

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"io"
	"os"
	"strconv"
	"strings"
)

// A size is what a program takes in memory, in bytes; negative where the source
// does not tell.
type size struct{ text, data, bss int64 }

// kernelSizes sets kernel.text, kernel.data and kernel.bss in bytes, and
// kernel.size_source to where they come from, since the sources count
// differently: only sizes of one source may be compared. They are vmlinux
// (as size(1) counts: text with read-only data), System.map and iomem (text
// without read-only data; iomem rounds, and shows addresses to root only).
func (r Reader) kernelSizes(f facts) {
	release := r.text("proc/sys/kernel/osrelease")
	for _, source := range []struct {
		name string
		size func(release string) (size, bool)
	}{
		{"vmlinux", r.vmlinux},
		{"System.map", r.systemMap},
		{"iomem", r.iomem},
	} {
		if s, ok := source.size(release); ok {
			s.set(f, "kernel")
			f.set("kernel.size_source", source.name)
			return
		}
	}
}

func (s size) set(f facts, prefix string) {
	for key, n := range map[string]int64{".text": s.text, ".data": s.data, ".bss": s.bss} {
		if n >= 0 {
			f.setInt(prefix+key, n)
		}
	}
}

// vmlinux reads the section headers of the uncompressed kernel, where a
// distribution or a developer left it.
func (r Reader) vmlinux(release string) (size, bool) {
	if release == "" {
		return size{}, false
	}
	for _, name := range []string{
		"boot/vmlinux-" + release,
		"lib/modules/" + release + "/build/vmlinux",
		"usr/lib/debug/boot/vmlinux-" + release,
		"usr/lib/debug/lib/modules/" + release + "/vmlinux",
	} {
		file, err := os.Open(r.path(name))
		if err != nil {
			continue
		}
		s, ok := elfSize(file)
		file.Close()
		if ok {
			return s, true
		}
	}
	return size{}, false
}

// elfSize adds up sections as size(1) does: what is loaded and read-only is
// text, what is loaded and writable is data, what only takes room is bss.
func elfSize(in io.ReaderAt) (size, bool) {
	file, err := elf.NewFile(in)
	if err != nil {
		return size{}, false
	}
	var s size
	for _, section := range file.Sections {
		switch {
		case section.Flags&elf.SHF_ALLOC == 0:
		case section.Type == elf.SHT_NOBITS:
			s.bss += int64(section.Size)
		case section.Flags&elf.SHF_WRITE != 0:
			s.data += int64(section.Size)
		default:
			s.text += int64(section.Size)
		}
	}
	return s, s.text > 0
}

// objectSize is elfSize of a kernel module, which may be compressed with gzip.
// Other compressions are not read.
func (r Reader) objectSize(name string) (size, bool) {
	file, err := os.Open(r.path(name))
	if err != nil {
		return size{}, false
	}
	defer file.Close()
	if !strings.HasSuffix(name, ".gz") {
		return elfSize(file)
	}
	z, err := gzip.NewReader(file)
	if err != nil {
		return size{}, false
	}
	b, err := io.ReadAll(io.LimitReader(z, largest))
	if err != nil {
		return size{}, false
	}
	return elfSize(bytes.NewReader(b))
}

// systemMap takes the bounds of the kernel's sections from its symbols. Debian
// installs a System.map of one line that says where the real one is.
func (r Reader) systemMap(release string) (size, bool) {
	at := map[string]int64{}
	for _, line := range r.lines("boot/System.map-" + release) {
		address, symbol, ok := strings.Cut(line, " ")
		if !ok || len(symbol) < 3 {
			continue
		}
		switch name := symbol[2:]; name {
		case "_stext", "_etext", "_sdata", "_edata", "__bss_start", "__bss_stop":
			if a, err := strconv.ParseUint(address, 16, 64); err == nil {
				at[name] = int64(a)
			}
		}
	}
	s := size{
		text: at["_etext"] - at["_stext"],
		data: at["_edata"] - at["_sdata"],
		bss:  at["__bss_stop"] - at["__bss_start"],
	}
	return s, len(at) == 6
}

// iomem takes the sizes of the parts of the kernel image from the map of the
// physical memory. Without CAP_SYS_ADMIN all addresses are zero; arm64 shows no
// bss.
func (r Reader) iomem(string) (size, bool) {
	s := size{-1, -1, -1}
	for _, line := range r.lines("proc/iomem") {
		bounds, name, ok := fields(line, " : ")
		first, last, isRange := strings.Cut(bounds, "-")
		low, err := strconv.ParseUint(first, 16, 64)
		high, err2 := strconv.ParseUint(last, 16, 64)
		if !ok || !isRange || err != nil || err2 != nil || high <= low {
			continue
		}
		switch n := int64(high-low) + 1; name {
		case "Kernel code":
			s.text = n
		case "Kernel data":
			s.data = n
		case "Kernel bss":
			s.bss = n
		}
	}
	return s, s.text > 0
}
