package host

import (
	"path"
	"strings"
)

// modules sets, for each loaded module of a real-time extension (xeno*, rtai*,
// evl*), modules.NAME.core, the bytes it takes as loaded, and where its file is
// readable modules.NAME.text, data and bss. /proc/modules is described in
// proc_modules(5).
func (r Reader) modules(f facts) {
	var files map[string]string
	for _, line := range r.lines("proc/modules") {
		words := strings.Fields(line)
		if len(words) < 2 || !realTimeModule(words[0]) {
			continue
		}
		prefix := "modules." + words[0]
		f.set(prefix+".core", words[1])
		f.set(prefix+".version", r.text("sys/module/"+words[0]+"/version"))
		if files == nil {
			files = r.moduleFiles()
		}
		if s, ok := r.objectSize(files[words[0]]); ok {
			s.set(f, prefix)
		}
	}
}

func realTimeModule(name string) bool {
	return strings.HasPrefix(name, "xeno") || strings.HasPrefix(name, "rtai") || strings.HasPrefix(name, "evl")
}

// moduleFiles maps names of modules to their files, from modules.dep. The
// kernel writes _ in a name where the file may have -.
func (r Reader) moduleFiles() map[string]string {
	files := map[string]string{}
	folder := "lib/modules/" + r.text("proc/sys/kernel/osrelease") + "/"
	for _, line := range r.lines(folder + "modules.dep") {
		file, _, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(path.Base(file), ".")
		files[strings.ReplaceAll(name, "-", "_")] = folder + file
	}
	return files
}

// cokernels sets what the real-time extensions beside Linux say of themselves:
// the I-pipe patch, Xenomai 2 and 3 (whose latency file holds the timer's
// gravity in ns), RTAI and EVL.
func (r Reader) cokernels(f facts) {
	f.set("ipipe.version", r.text("proc/ipipe/version"))
	f.set("xenomai.version", r.text("proc/xenomai/version"))
	f.set("xenomai.latency", r.text("proc/xenomai/latency"))
	for _, line := range r.lines("proc/rtai/rtai") {
		if strings.Contains(line, "ersion") {
			f.set("rtai.version", line)
			break
		}
	}
	f.set("evl.abi", r.text("sys/class/evl/control/abi"))
	f.set("evl.gravity", r.text("sys/devices/virtual/clock/monotonic/gravity"))
}
