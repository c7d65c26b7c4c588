package host

import (
	"fmt"
	"path"
	"strings"
)

// storage sets storage, the disks with size, driver, kind and I/O scheduler,
// and storage.root, the root file system. The files are described in the
// kernel's Documentation/ABI/stable/sysfs-block.
func (r Reader) storage(f facts) {
	var disks []string
	for _, folder := range r.glob("sys/block/*") {
		// A disk has a device; loop, ram and zram have none.
		if r.exists(folder + "/device") {
			disks = append(disks, r.disk(folder))
		}
	}
	f.set("storage", strings.Join(disks, ", "))
	f.set("storage.root", r.rootFileSystem())
}

// disk describes one, such as "nvme0n1 953 GiB nvme ssd [none]".
func (r Reader) disk(folder string) string {
	words := []string{path.Base(folder)}
	// The size is in sectors of 512 bytes, whatever the device's own are.
	if sectors, ok := r.number(folder + "/size"); ok {
		words = append(words, fmt.Sprintf("%.3g GiB", float64(sectors)/(1<<21)))
	}
	for _, word := range []string{
		r.link(folder + "/device/driver"),
		strings.Join(strings.Fields(r.text(folder+"/device/model")), " "),
		map[string]string{"0": "ssd", "1": "rotating"}[r.text(folder+"/queue/rotational")],
	} {
		if word != "" {
			words = append(words, word)
		}
	}
	if scheduler := chosen(r.text(folder+"/queue/scheduler"), "[", "]"); scheduler != "" {
		words = append(words, "["+scheduler+"]")
	}
	return strings.Join(words, " ")
}

// rootFileSystem describes the last thing mounted on /, as proc_mounts(5) has
// it: type, device, options.
func (r Reader) rootFileSystem() string {
	root := ""
	for _, line := range r.lines("proc/self/mounts") {
		if words := strings.Fields(line); len(words) >= 4 && words[1] == "/" {
			root = fmt.Sprintf("%s on %s (%s)", words[2], words[0], words[3])
		}
	}
	return root
}
