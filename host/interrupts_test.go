package host

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseInterrupts(t *testing.T) {
	for _, test := range []struct {
		name, in string
		want     map[string]map[int]int64
	}{
		{"x86", `           CPU0       CPU2
 16:          3          4  IR-IO-APIC   16-fasteoi   i801_smbus, ehci_hcd:usb1
 28:          0          0 PCI-MSIX-0000:00:01.0   0-edge      virtio0-config
LOC:      38135      33601   Local timer interrupts
ERR:          0
`, map[string]map[int]int64{
			"16 i801_smbus, ehci_hcd:usb1": {0: 3, 2: 4},
			"28 virtio0-config":            {0: 0, 2: 0},
			"LOC":                          {0: 38135, 2: 33601},
		}},
		{"arm", `           CPU0
 11:       1234     GICv3  27 Level     arch_timer
 40:          0     GICv3 120 Edge
IPI0:         5       Rescheduling interrupts
Err:          0
`, map[string]map[int]int64{
			"11 arch_timer": {0: 1234},
			"40":            {0: 0},
			"IPI0":          {0: 5},
			"Err":           {0: 0},
		}},
		{"an irq name with a dash", `           CPU0
 31:          7  PCI-MSI 524288-edge      snd-hda-intel
`, map[string]map[int]int64{"31 snd-hda-intel": {0: 7}}},
		{"riscv", `           CPU0
  5:       1234  RISC-V INTC   5 Edge      riscv-timer
 11:          9  SiFive PLIC  11 Edge      rising-edge
`, map[string]map[int]int64{"5 riscv-timer": {0: 1234}, "11 rising-edge": {0: 9}}},
		{"mips", `           CPU0
  7:       1234      MIPS   7  timer
`, map[string]map[int]int64{"7": {0: 1234}}},
		{
			"softirqs", "                    CPU0       CPU1\n      NET_RX:       9191      12062\n",
			map[string]map[int]int64{"NET_RX": {0: 9191, 1: 12062}},
		},
		{"empty", "", map[string]map[int]int64{}},
		{"no header", "LOC: 1 2\n", map[string]map[int]int64{}},
		{"torn", "  CPU0 CPU1\nLOC: 12", map[string]map[int]int64{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := map[string]map[int]int64{}
			for _, line := range parseInterrupts(strings.Split(test.in, "\n")) {
				got[line.name] = line.counts
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzParseInterrupts(f *testing.F) {
	f.Fuzz(func(t *testing.T, s string) {
		for _, line := range parseInterrupts(strings.Split(s, "\n")) {
			if line.name == "" {
				t.Errorf("a line without name: %v", line)
			}
		}
	})
}
