package importer

import (
	"fmt"
	"strings"
	"testing"

	"worstcase/results"
)

// TestLargeFiles reads files as large machines and long runs make them, none of
// which may be taken for an attack on memory.
func TestLargeFiles(t *testing.T) {
	const cpus = 256
	cells := func(b *strings.Builder, format string, n, value int) {
		for i := range n {
			fmt.Fprintf(b, format, value+i%7)
		}
	}
	files := map[string]func(b *strings.Builder){
		"cyclictest -h 1000": func(b *strings.Builder) {
			b.WriteString("# Histogram\n")
			for row := range 1000 {
				fmt.Fprintf(b, "%06d ", row)
				cells(b, "%06d\t", cpus, 1)
				b.WriteByte('\n')
			}
			for _, name := range []string{"# Min Latencies:", "# Avg Latencies:", "# Max Latencies:", "# Histogram Overflows:"} {
				b.WriteString(name)
				cells(b, " %05d", cpus, 0)
				b.WriteByte('\n')
			}
		},
		"cyclictest --json": func(b *strings.Builder) {
			b.WriteString("{\n  \"cmdline:\": \"cyclictest\",\n  \"rt_test_version:\": \"2.40\",\n  \"resolution_in_ns\": 0,\n  \"thread\": {\n")
			for cpu := range cpus {
				fmt.Fprintf(b, "    \"%d\": {\n      \"histogram\": {\n", cpu)
				for us := range 400 {
					fmt.Fprintf(b, "        \"%d\": 1,\n", us)
				}
				fmt.Fprintf(b, "        \"400\": 1\n      },\n      \"cycles\": 401,\n      \"min\": 0,\n      \"max\": 400,\n      \"avg\": 200.00,\n      \"cpu\": %d\n    },\n", cpu)
			}
			b.WriteString("  }\n}\n")
		},
		"rtla timerlat hist": func(b *strings.Builder) {
			b.WriteString("# RTLA timerlat histogram\n# Time unit is microseconds (us)\n# Duration:   0 00:00:07\nIndex")
			for cpu := range cpus {
				fmt.Fprintf(b, "   IRQ-%03[1]d   Thr-%03[1]d   Usr-%03[1]d", cpu)
			}
			for row := range 256 {
				fmt.Fprintf(b, "\n%-6d", row)
				cells(b, "%9d ", 3*cpus, 1)
			}
			b.WriteString("\nover: ")
			cells(b, "%9d ", 3*cpus, 0)
			b.WriteByte('\n')
		},
		"a day of latency": func(b *strings.Builder) {
			b.WriteString("== All results in microseconds\nRTH|----lat min|----lat avg|----lat max|-overrun|---msw|---lat best|--lat worst\n")
			for range 86400 {
				b.WriteString("RTD|      3.985|      6.527|   1221.263|      15|     0|      3.985|   1221.263\n")
			}
			b.WriteString("RTS|      3.978|      7.431|   2005.051|     113|     0|    24:00:00/24:00:00\n")
		},
		"a day of hwlat": func(b *strings.Builder) {
			for i := range 86400 {
				fmt.Fprintf(b, "           <...>-1729    [001] d...   678.473449: #%d     inner/outer(us):   16/9    ts:%d.239770541 count:1\n", i, 1796069523+i)
			}
		},
		"an hour of timerlat": func(b *strings.Builder) {
			for i := range 36000 {
				fmt.Fprintf(b, "          <idle>-0       [001] dNh1. %5d.%d69957: #%d   context    irq timer_latency    %d ns\n", i/10, i%10, i, 8000+i)
			}
		},
		"an hour of cyclictest -v": func(b *strings.Builder) {
			b.WriteString("Thread 0 Interval: 1000\n")
			for i := range 300_000 {
				fmt.Fprintf(b, "%8d:%8d:%8d\n", i%4, i/4, 15+i%9)
			}
		},
	}
	for name, write := range files {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			write(&b)
			runs, err := measured(t, []byte(b.String()), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if runs[0].Totals()[0].Missing.Has(results.NoMin) && !strings.Contains(name, "rtla") {
				t.Errorf("nothing known of %d series", len(runs[0].Totals()))
			}
		})
	}
}
