package kernels

import (
	"fmt"
	"path/filepath"
	"strings"
)

// command returns the emulator and its arguments. The console goes to a file of
// that name in dir, and what is written to the results' port to another: the
// console mixes in what the kernel has to say.
func (g *Guest) command(dir, initramfs string) (tool string, args []string) {
	tty := "ttyAMA0"
	switch g.Kernel.Arch() {
	case "amd64":
		tty, tool = "ttyS0", "qemu-system-x86_64"
		args = append(args, "-M", "q35", "-cpu", "max")
	case "arm64":
		tool = "qemu-system-aarch64"
		args = append(args, "-M", "virt,gic-version=3", "-cpu", "cortex-a72")
	default:
		tool = "qemu-system-arm"
		args = append(args, "-M", "virt,highmem=off", "-cpu", "cortex-a15")
	}
	if g.Icount {
		args = append(args, "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-rtc", "base=2026-01-01,clock=vm")
	} else {
		args = append(args, "-accel", "tcg,thread=multi")
	}
	line := "console=" + tty + " panic=-1 quiet loglevel=4"
	if g.Icount && g.Kernel.Arch() == "amd64" {
		line += " tsc=reliable"
	}
	if g.Append != "" {
		line += " " + g.Append
	}
	// The emulator takes a comma doubled in what stands between commas.
	at := func(name string) string { return strings.ReplaceAll(filepath.Join(dir, name), ",", ",,") }
	return tool, append(
		args,
		"-smp", fmt.Sprint(max(1, g.CPUs)), "-m", fmt.Sprint(memory(g.Memory)),
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-kernel", g.Kernel.Image, "-initrd", initramfs, "-append", line,
		"-chardev", "file,id=console,path="+at("console"), "-serial", "chardev:console",
		"-device", "virtio-serial-pci", "-chardev", "file,id=results,path="+at("results"), "-device", "virtserialport,chardev=results,name=results",
	)
}

func memory(mib int) int {
	if mib == 0 {
		return 512
	}
	return mib
}
