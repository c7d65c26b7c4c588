package host

import (
	"strings"

	"golang.org/x/sys/unix"
)

// kernel sets the facts of uname, the command line and the preemption model.
func (r Reader) kernel(f facts) {
	f.set("kernel.name", r.text("proc/sys/kernel/ostype"))
	f.set("kernel.release", r.text("proc/sys/kernel/osrelease"))
	f.set("kernel.version", r.text("proc/sys/kernel/version"))
	f.set("kernel.banner", r.text("proc/version"))
	f.set("kernel.machine", r.machine())
	f.set("kernel.hostname", r.text("proc/sys/kernel/hostname"))
	f.set("kernel.cmdline", r.text("proc/cmdline"))
	f.set("kernel.realtime", r.text("sys/kernel/realtime"))
	f.set("kernel.tainted", r.text("proc/sys/kernel/tainted"))
	f.set("kernel.lockdown", chosen(r.text("sys/kernel/security/lockdown"), "[", "]"))
	f.set("kernel.preempt", r.preempt())
}

// machine is the hardware name of uname. Kernels since 6.1 have a file for
// it; before, only the machine itself can be asked.
func (r Reader) machine() string {
	if s := r.text("proc/sys/kernel/arch"); s != "" || r.path("") != "/" {
		return s
	}
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Machine[:])
}

// preempt returns the preemption model: rt, full, lazy, voluntary or none.
// The sources, the surest first:
//
//  1. /sys/kernel/realtime, or PREEMPT_RT (before 5.15 "PREEMPT RT") in the
//     version of uname: rt, whatever else is said.
//  2. /sys/kernel/debug/sched/preempt, where the mode in force is in brackets.
//  3. On a PREEMPT_DYNAMIC kernel the preempt= option of the command line, then
//     the default that was configured.
//  4. The configuration.
//  5. PREEMPT in the version of uname: full. A version without that word, and
//     no configuration to look into: "none or voluntary".
//
// The kernel's Documentation/admin-guide/kernel-parameters.txt describes
// preempt=; the words of the version come from its init/Makefile.
func (r Reader) preempt() string {
	version := r.text("proc/sys/kernel/version")
	words := " " + version + " "
	if r.text("sys/kernel/realtime") == "1" || strings.Contains(words, " PREEMPT_RT ") || strings.Contains(words, " PREEMPT RT ") {
		return "rt"
	}
	if mode := chosen(r.text("sys/kernel/debug/sched/preempt"), "(", ")"); mode != "" {
		return mode
	}
	if strings.Contains(words, " PREEMPT_DYNAMIC ") {
		if mode := r.bootOption("preempt"); mode != "" {
			return mode
		}
	}
	if mode := configuredPreempt(r.config()); mode != "" {
		return mode
	}
	switch {
	case version == "", strings.Contains(words, " PREEMPT_DYNAMIC "):
		return ""
	case strings.Contains(words, " PREEMPT "):
		return "full"
	}
	return "none or voluntary"
}

// configuredPreempt reads the model, or a dynamic kernel's default, from a
// configuration.
func configuredPreempt(options map[string]string) string {
	for _, m := range []struct{ option, mode string }{
		{"CONFIG_PREEMPT_RT", "rt"},
		{"CONFIG_PREEMPT_RT_FULL", "rt"},
		{"CONFIG_PREEMPT_LAZY", "lazy"},
		{"CONFIG_PREEMPT", "full"},
		{"CONFIG_PREEMPT_VOLUNTARY", "voluntary"},
		{"CONFIG_PREEMPT_NONE", "none"},
	} {
		if options[m.option] == "y" {
			return m.mode
		}
	}
	return ""
}

// bootOption returns the value of the last name=value on the command line.
func (r Reader) bootOption(name string) string {
	value := ""
	for _, word := range strings.Fields(r.text("proc/cmdline")) {
		if word == "--" {
			break
		}
		if v, ok := strings.CutPrefix(word, name+"="); ok {
			value = v
		}
	}
	return value
}

// chosen returns the word in brackets, as in "always [madvise] never".
func chosen(s, opening, closing string) string {
	_, s, ok := strings.Cut(s, opening)
	if !ok {
		return ""
	}
	s, _, _ = strings.Cut(s, closing)
	return s
}
