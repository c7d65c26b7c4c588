package host

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// throttling adds how often each CPU was slowed down because of heat (x86:
// the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu).
func (r Reader) throttling(counts map[string]int64, cpus []int) {
	for _, cpu := range cpus {
		folder := fmt.Sprintf("sys/devices/system/cpu/cpu%d/thermal_throttle/", cpu)
		for _, name := range []string{"core_throttle_count", "package_throttle_count"} {
			if n, ok := r.number(folder + name); ok {
				counts[fmt.Sprintf("cpu%d.%s", cpu, name)] = n
			}
		}
	}
}

// msrSMICount counts system management interrupts since reset, on Intel
// processors since Nehalem (Intel SDM, volume 4, MSR_SMI_COUNT).
const msrSMICount = 0x34

// managementInterrupts adds the system management interrupts of each CPU, where
// the msr driver is loaded and we may read it (CAP_SYS_RAWIO).
func (r Reader) managementInterrupts(counts map[string]int64, cpus []int) {
	for _, cpu := range cpus {
		f, err := os.Open(r.path(fmt.Sprintf("dev/cpu/%d/msr", cpu)))
		if err != nil {
			return
		}
		var b [8]byte
		_, err = f.ReadAt(b[:], msrSMICount)
		f.Close()
		if err != nil {
			return
		}
		// The count has 32 bits; those above are reserved.
		counts[fmt.Sprintf("cpu%d.smi", cpu)] = int64(binary.LittleEndian.Uint32(b[:]))
	}
}

// frequencies returns what each CPU runs at, in kHz: from cpufreq, else from
// the MHz of /proc/cpuinfo on x86.
func (r Reader) frequencies(cpus []int) map[string]float64 {
	now := map[string]float64{}
	for _, cpu := range cpus {
		name := fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu)
		if khz, ok := r.number(name); ok {
			now[fmt.Sprintf("cpu%d.frequency", cpu)] = float64(khz)
		}
	}
	if len(now) > 0 {
		return now
	}
	cpu := ""
	for _, line := range r.lines("proc/cpuinfo") {
		switch key, value, _ := fields(line, ":"); key {
		case "processor":
			cpu = value
		case "cpu MHz":
			if mhz, err := strconv.ParseFloat(value, 64); err == nil {
				now["cpu"+cpu+".frequency"] = mhz * 1000
			}
		}
	}
	return now
}

// temperatures returns those of the thermal zones and of the sensors of hwmon,
// in degrees Celsius. Two of one name keep the hotter one.
func (r Reader) temperatures() map[string]float64 {
	now := map[string]float64{}
	put := func(name, file string) {
		if milli, ok := r.number(file); ok {
			key := "temperature." + strings.ReplaceAll(name, " ", "_")
			if old, seen := now[key]; !seen || old < float64(milli)/1000 {
				now[key] = float64(milli) / 1000
			}
		}
	}
	for _, zone := range r.glob("sys/class/thermal/thermal_zone*") {
		put(r.text(zone+"/type"), zone+"/temp")
	}
	for _, file := range r.glob("sys/class/hwmon/hwmon*/temp*_input") {
		folder := file[:strings.LastIndexByte(file, '/')+1]
		label := r.text(strings.TrimSuffix(file, "input") + "label")
		put(join(r.text(folder+"name"), label), file)
	}
	return now
}
