package host

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"worstcase/internal/golden"
)

var update = flag.Bool("update", false, "write the golden files anew")

// machine unpacks the files of a made machine and returns their Reader.
func machine(t *testing.T, name string) Reader {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, f := range archive.Files {
		put(t, root, f.Name, f.Data)
	}
	return Reader{Root: root}
}

func put(t testing.TB, root, name string, data []byte) {
	t.Helper()
	file := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// listing writes a map one key a line, sorted.
func listing[V any](m map[string]V) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%s = %v\n", key, strings.ReplaceAll(fmt.Sprint(m[key]), "\n", " "))
	}
	return b.String()
}

func TestFacts(t *testing.T) {
	t.Run("board", func(t *testing.T) {
		golden.Check(t, "testdata/board.facts", listing(machine(t, "board").Facts()), *update)
	})
	t.Run("cobalt", func(t *testing.T) {
		r := machine(t, "cobalt")
		object, err := os.ReadFile("testdata/module.o")
		if err != nil {
			t.Fatal(err)
		}
		put(t, r.Root, "lib/modules/2.6.11-ipipe/kernel/xenomai/xeno-native.o", object)
		golden.Check(t, "testdata/cobalt.facts", listing(r.Facts()), *update)
	})
	t.Run("nothing", func(t *testing.T) {
		if f := (Reader{Root: t.TempDir()}).Facts(); len(f) > 0 {
			t.Errorf("an empty tree has facts: %v", f)
		}
	})
}

// TestFactsOfThisMachine lists the keys without which a result from one of
// the machines that we test on could not be told from another's.
func TestFactsOfThisMachine(t *testing.T) {
	f := Reader{}.Facts()
	for _, key := range []string{
		"kernel.name", "kernel.release", "kernel.version", "kernel.machine", "kernel.cmdline", "kernel.preempt",
		"os.pretty_name", "cpu.model", "cpu.count", "cpu.online", "memory.total", "storage.root",
		"clock.source", "swap", "sched.rt_runtime_us", "sched.rt_period_us",
	} {
		if f[key] == "" {
			t.Errorf("%s is missing", key)
		}
	}
	// What has a file here must have its fact.
	for file, key := range map[string]string{
		"/proc/config.gz": "kernel.config",
		"/sys/devices/system/cpu/cpu0/cpuidle/state0/name":           "cpu.idle_states",
		"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":      "cpu.governor",
		"/sys/devices/system/cpu/cpu0/topology/core_id":              "cpu.topology",
		"/sys/devices/system/cpu/vulnerabilities":                    "mitigations",
		"/sys/kernel/mm/transparent_hugepage/enabled":                "thp",
		"/sys/class/dmi/id/board_name":                               "board.model",
		"/proc/device-tree/model":                                    "board.model",
		"/sys/block/vda/device":                                      "storage",
		"/sys/devices/system/clockevents/clockevent0/current_device": "clock.event",
	} {
		if _, err := os.Stat(file); err == nil && f[key] == "" {
			t.Errorf("%s is missing although there is %s", key, file)
		}
	}
	for key, value := range f {
		if strings.TrimSpace(value) == "" {
			t.Errorf("%s is empty", key)
		}
	}
}

func TestPreempt(t *testing.T) {
	const version, config = "proc/sys/kernel/version", "boot/config-1"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"nothing known", nil, ""},
		{"rt by version", map[string]string{version: "#1 SMP PREEMPT_RT Debian"}, "rt"},
		{"rt of old", map[string]string{version: "#1 SMP PREEMPT RT Mon"}, "rt"},
		{"rt by sysfs", map[string]string{version: "#1 SMP PREEMPT", "sys/kernel/realtime": "1"}, "rt"},
		{"rt although lazy", map[string]string{version: "#1 SMP PREEMPT_RT", "sys/kernel/debug/sched/preempt": "full (lazy)"}, "rt"},
		{"chosen at boot", map[string]string{version: "#1 SMP PREEMPT_DYNAMIC", "sys/kernel/debug/sched/preempt": "none (voluntary) full"}, "voluntary"},
		{"asked for at boot", map[string]string{version: "#1 SMP PREEMPT_DYNAMIC", "proc/cmdline": "preempt=none preempt=full -- preempt=no"}, "full"},
		{"a dynamic default", map[string]string{version: "#1 SMP PREEMPT_DYNAMIC", config: "CONFIG_PREEMPT_VOLUNTARY=y\nCONFIG_PREEMPT_DYNAMIC=y\n"}, "voluntary"},
		{"dynamic, no default known", map[string]string{version: "#1 SMP PREEMPT_DYNAMIC"}, ""},
		{"configured", map[string]string{version: "#1 SMP", config: "CONFIG_PREEMPT_NONE=y\n"}, "none"},
		{"lazy", map[string]string{version: "#1 SMP PREEMPT", config: "CONFIG_PREEMPT_LAZY=y\n"}, "lazy"},
		{"full by version", map[string]string{version: "#1 SMP PREEMPT @0"}, "full"},
		{"no word of it", map[string]string{version: "#1 SMP @0"}, "none or voluntary"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Reader{Root: t.TempDir()}
			put(t, r.Root, "proc/sys/kernel/osrelease", []byte("1"))
			for name, data := range test.files {
				put(t, r.Root, name, []byte(data))
			}
			if got := r.preempt(); got != test.want {
				t.Errorf("preempt %q, want %q", got, test.want)
			}
		})
	}
}

func TestHypervisor(t *testing.T) {
	const dmi, info = "sys/class/dmi/id/", "proc/cpuinfo"
	for _, test := range []struct {
		name, file, data, want string
	}{
		{"xen", "sys/hypervisor/type", "xen", "xen"},
		{"qemu", dmi + "sys_vendor", "QEMU", "qemu"},
		{"vmware", dmi + "product_name", "VMware Virtual Platform", "vmware"},
		{"device tree", "proc/device-tree/hypervisor/compatible", "linux,kvm\x00", "kvm"},
		{"clock", "sys/devices/system/clocksource/clocksource0/available_clocksource", "kvm-clock tsc", "kvm"},
		{"flag only", info, "flags\t\t: fpu hypervisor sse", "unknown"},
		{"bare metal", info, "flags\t\t: fpu sse", "none"},
		{"an architecture that cannot tell", info, "Features\t: fp", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Reader{Root: t.TempDir()}
			put(t, r.Root, test.file, []byte(test.data))
			if got := r.findHypervisor(); got != test.want {
				t.Errorf("hypervisor %q, want %q", got, test.want)
			}
		})
	}
}

func TestCompressedConfig(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, "CONFIG_B=m\n# CONFIG_C is not set\nCONFIG_A=\"x=y\"\nnonsense\n")
	z.Close()
	r := Reader{Root: t.TempDir()}
	put(t, r.Root, "proc/config.gz", b.Bytes())
	if got, want := r.Facts()["kernel.config"], "CONFIG_A=\"x=y\"\nCONFIG_B=m"; got != want {
		t.Errorf("kernel.config %q, want %q", got, want)
	}
	put(t, r.Root, "proc/config.gz", b.Bytes()[:b.Len()-6])
	if got, ok := r.Facts()["kernel.config"]; ok {
		t.Errorf("a torn config.gz gives %q", got)
	}
}

func TestDiff(t *testing.T) {
	before, after := machine(t, "before"), machine(t, "after")
	for r, smis := range map[Reader]uint64{before: 7, after: 1<<32 + 9} {
		msr := make([]byte, msrSMICount+8)
		binary.LittleEndian.PutUint64(msr[msrSMICount:], smis)
		put(t, r.Root, "dev/cpu/0/msr", msr)
	}
	golden.Check(t, "testdata/diff.figures", listing(before.Snapshot().Diff(after.Snapshot())), *update)
}

func TestWatch(t *testing.T) {
	r := machine(t, "before")
	before := r.Snapshot()
	const zone, cpu0 = "sys/class/thermal/thermal_zone0/temp", "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
	for _, now := range []struct{ temp, khz string }{{"90000", "400000"}, {"40000", "3600000"}, {"51000", "800000"}} {
		put(t, r.Root, zone, []byte(now.temp))
		put(t, r.Root, cpu0, []byte(now.khz))
		r.Watch(before)
	}
	f := before.Diff(r.Snapshot())
	for key, want := range map[string]float64{
		"temperature.x86_pkg_temp_min_c": 40, "temperature.x86_pkg_temp_max_c": 90,
		"cpu0.frequency_min_khz": 400000, "cpu0.frequency_max_khz": 3600000,
	} {
		if f[key] != want {
			t.Errorf("%s is %v, want %v", key, f[key], want)
		}
	}
}

// TestDiffOfThisMachine makes a page fault and a context switch, which must be
// counted.
func TestDiffOfThisMachine(t *testing.T) {
	before := Reader{}.Snapshot()
	page := make([]byte, 64<<20)
	for i := 0; i < len(page); i += 4096 {
		page[i] = 1
	}
	f := before.Diff(Reader{}.Snapshot())
	for _, key := range []string{"page_faults", "context_switches"} {
		if f[key] <= 0 {
			t.Errorf("%s did not rise: %v", key, f[key])
		}
	}
	if _, ok := f["steal_ns"]; !ok {
		t.Error("steal_ns is missing")
	}
	for key, v := range f {
		if isInterrupt(key) && v <= 0 {
			t.Errorf("%s is %v", key, v)
		}
	}
}
