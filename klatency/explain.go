package klatency

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
)

// explain tells what this machine, kernel or user lacks for the eBPF programs.
func explain(err error) error {
	switch {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES):
		err = plain(err)
		if mode := lockdown("/sys/kernel/security/lockdown"); mode == "confidentiality" {
			return remedy.Unavailable(err, "kernel lockdown is in confidentiality mode, which forbids eBPF to read kernel memory: boot with lockdown=integrity or none, or use a kernel with the timerlat tracer and --backend timerlat")
		}
		return remedy.Unavailable(err, "eBPF tracing needs root, or CAP_BPF and CAP_PERFMON (setcap cap_bpf,cap_perfmon,cap_sys_nice,cap_ipc_lock,cap_sys_resource+ep); a container may also forbid bpf(2)")
	case errors.Is(err, unix.ENOSYS):
		return remedy.Unavailable(err, "this kernel has no bpf(2): it needs CONFIG_BPF_SYSCALL and Linux 5.8 or later")
	case errors.Is(err, ebpf.ErrNotSupported) || errors.Is(err, unix.EINVAL):
		if missing("/sys/kernel") {
			return remedy.Unavailable(err, remedy.MountSysfs)
		}
		if missing("/sys/kernel/btf/vmlinux") {
			return remedy.Unavailable(err, "this kernel has no BTF: it needs CONFIG_DEBUG_INFO_BTF=y; or use a kernel with the timerlat tracer and --backend timerlat")
		}
		return remedy.Unavailable(err, fmt.Sprintf("eBPF tracing needs Linux 5.8 or later with tracepoints and BTF, this is %s", release()))
	}
	return err
}

// plain takes out what the eBPF library says to programmers.
func plain(err error) error {
	return errors.New(strings.ReplaceAll(err.Error(), " (MEMLOCK may be too low, consider rlimit.RemoveMemlock)", ""))
}

// lockdown returns the mode of kernel_lockdown(7): none, integrity or
// confidentiality; "" where the kernel doesn't know it.
func lockdown(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	_, mode, _ := strings.Cut(string(text), "[")
	mode, _, _ = strings.Cut(mode, "]")
	return mode
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:])
}
