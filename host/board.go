package host

import "strings"

// board sets the model of the board and its firmware: from the device tree
// where there is one, else from DMI.
func (r Reader) board(f facts) {
	const tree, dmi = "proc/device-tree/", "sys/class/dmi/id/"
	model := r.text(tree + "model")
	if model == "" {
		model = join(r.text(dmi+"board_vendor"), r.text(dmi+"board_name"))
	}
	f.set("board.model", model)
	f.set("board.product", join(r.text(dmi+"sys_vendor"), r.text(dmi+"product_name")))
	f.set("board.compatible", strings.ReplaceAll(r.text(tree+"compatible"), "\x00", " "))
	firmware := join(r.text(dmi+"bios_vendor"), r.text(dmi+"bios_version"), r.text(dmi+"bios_date"))
	if firmware == "" {
		firmware = r.text(tree + "chosen/u-boot,version")
	}
	f.set("firmware", firmware)
	switch {
	case r.exists("sys/firmware/efi"):
		f.set("firmware.interface", "efi")
	case r.exists("sys/firmware/acpi"):
		f.set("firmware.interface", "acpi")
	case r.exists(tree):
		f.set("firmware.interface", "device tree")
	}
}

// join puts words together, without the empty ones.
func join(words ...string) string {
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// hypervisor sets what the machine runs on: a name, "unknown" when only the
// CPU's flag tells of one, "none" when an x86 CPU says that there is none.
// Other architectures may not know. Firecracker has no DMI: the clock gives KVM
// away.
func (r Reader) hypervisor(f facts) {
	f.set("hypervisor", r.findHypervisor())
	f.set("hypervisor.version", r.text("sys/hypervisor/version/major"))
	if r.exists(".dockerenv") {
		f.set("container", "docker")
	} else if r.exists("run/.containerenv") {
		f.set("container", "podman")
	}
}

func (r Reader) findHypervisor() string {
	if s := r.text("sys/hypervisor/type"); s != "" {
		return s
	}
	dmi := r.text("sys/class/dmi/id/sys_vendor") + " " + r.text("sys/class/dmi/id/product_name")
	compatible := r.text("proc/device-tree/hypervisor/compatible")
	clocks := r.text("sys/devices/system/clocksource/clocksource0/available_clocksource")
	for _, h := range []struct{ where, word, name string }{
		{dmi, "QEMU", "qemu"},
		{dmi, "KVM", "kvm"},
		{dmi, "VMware", "vmware"},
		{dmi, "VirtualBox", "virtualbox"},
		{dmi, "Virtual Machine", "hyperv"},
		{dmi, "Xen", "xen"},
		{compatible, "kvm", "kvm"},
		{compatible, "xen", "xen"},
		{clocks, "kvm-clock", "kvm"},
		{clocks, "hyperv", "hyperv"},
		{clocks, "xen", "xen"},
	} {
		if strings.Contains(h.where, h.word) {
			return h.name
		}
	}
	flags := r.cpuInfo()["flags"]
	switch {
	case strings.Contains(" "+flags+" ", " hypervisor "):
		return "unknown"
	case flags != "":
		return "none"
	}
	return ""
}
