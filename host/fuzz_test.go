package host

import (
	"strings"
	"testing"
)

// FuzzReader puts any text into one of the files that are parsed: whatever a
// kernel says, reading it must not panic, and must give no empty fact.
func FuzzReader(f *testing.F) {
	files := []string{
		"etc/os-release", "boot/config-1", "boot/System.map-1", "boot/vmlinux-1", "proc/config.gz", "proc/cmdline",
		"proc/cpuinfo", "proc/interrupts", "proc/iomem", "proc/meminfo", "proc/modules", "proc/rtai/rtai",
		"proc/self/cgroup", "proc/self/mountinfo", "proc/self/mounts", "proc/softirqs", "proc/stat", "proc/swaps",
		"proc/timer_list", "proc/vmstat", "proc/sys/kernel/version", "sys/fs/cgroup/cpu.stat",
		"sys/kernel/debug/sched/preempt", "sys/kernel/mm/transparent_hugepage/enabled", "proc/device-tree/compatible",
		"sys/devices/system/cpu/vulnerabilities/mds", "sys/class/thermal/thermal_zone0/temp",
		"sys/block/sda/size", "sys/block/sda/device/model", "sys/block/sda/queue/scheduler",
	}
	r := Reader{Root: f.TempDir()}
	put(f, r.Root, "proc/sys/kernel/osrelease", []byte("1"))
	put(f, r.Root, "sys/devices/system/cpu/online", []byte("0-1"))
	for _, name := range files {
		put(f, r.Root, name, nil)
	}
	f.Fuzz(func(t *testing.T, file uint8, text []byte) {
		name := files[int(file)%len(files)]
		put(t, r.Root, name, text)
		for key, value := range r.Facts() {
			if strings.TrimSpace(value) == "" {
				t.Errorf("%s is empty", key)
			}
		}
		s := r.Snapshot()
		s.Diff(r.Snapshot())
		put(t, r.Root, name, nil)
	})
}
