package format

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
)

// cyclictestJSON prints the file that cyclictest --json writes (rt-tests,
// file_version 1), with the colons that really end two of its keys. What a
// series does not have is left out, where cyclictest writes invalid JSON.
type cyclictestJSON struct {
	out     *lines
	options Options
	header  results.Header
}

func (c *cyclictestJSON) Put(r results.Record) error {
	switch r := r.(type) {
	case *results.Header:
		c.header = *r
	case *results.End:
		c.document(r)
	}
	return c.out.err
}

func (c *cyclictestJSON) document(e *results.End) {
	h := &c.header
	command := h.ConfigText(results.ConfigCommand)
	if command == "" {
		command = h.Tool
	}
	status, realtime := 0, 0
	if e.Verdict != results.Pass {
		status = 1
	}
	if h.Host["kernel.preempt"] == "rt" {
		realtime = 1
	}
	const date = "Mon, 02 Jan 2006 15:04:05 -0700"
	c.out.printf("{")
	c.out.printf("  \"file_version\": 1,")
	c.out.printf("  \"cmdline:\": %s,", quote(command))
	c.out.printf("  \"rt_test_version:\": %s,", quote("worstcase"))
	c.out.printf("  \"start_time\": %s,", quote(h.Started.Format(date)))
	c.out.printf("  \"end_time\": %s,", quote(h.Started.Add(time.Duration(e.Seconds*1e9)).Format(date)))
	c.out.printf("  \"return_code\": %d,", status)
	c.out.printf("  \"sysinfo\": {")
	for _, key := range []struct{ name, fact string }{
		{"sysname", "kernel.name"},
		{"nodename", "kernel.hostname"},
		{"release", "kernel.release"},
		{"version", "kernel.version"},
		{"machine", "kernel.machine"},
	} {
		c.out.printf("    %s: %s,", quote(key.name), quote(h.Host[key.fact]))
	}
	c.out.printf("    \"realtime\": %d", realtime)
	c.out.printf("  },")
	c.out.printf("  \"num_threads\": %d,", len(e.Series))
	c.out.printf("  \"resolution_in_ns\": %d,", 2-min(c.options.unit(), 2))
	c.out.printf("  \"thread\": {")
	for i := range e.Series {
		c.thread(i, &e.Series[i], i == len(e.Series)-1)
	}
	c.out.printf("  }")
	c.out.printf("}")
}

// thread prints one thread. Its key is its place, not its CPU.
func (c *cyclictestJSON) thread(i int, t *results.Total, last bool) {
	unit := c.options.unit()
	missing := unknown(&t.Tally)
	fields := []string{c.histogram(&t.Tally)}
	add := func(name, value string, figure results.Missing) {
		if !missing.Has(figure) {
			fields = append(fields, fmt.Sprintf("      %s: %s", quote(name), value))
		}
	}
	add("cycles", strconv.FormatInt(t.Samples(), 10), results.NoCount)
	add("min", strconv.FormatInt(t.Min/unit, 10), results.NoMin)
	add("max", strconv.FormatInt(t.Max/unit, 10), results.NoMax)
	add("avg", strconv.FormatFloat(t.Mean()/float64(unit), 'f', 2, 64), results.NoMean)
	cpu := t.Labels["cpu"]
	if _, err := strconv.Atoi(cpu); err != nil {
		cpu = "-1"
	}
	add("cpu", cpu, 0)
	add("node", "0", 0)
	closing := "    },"
	if last {
		closing = "    }"
	}
	c.out.printf("    \"%d\": {", i)
	for _, line := range strings.Split(strings.Join(fields, ",\n"), "\n") {
		c.out.printf("%s", line)
	}
	c.out.printf("%s", closing)
}

// histogram is the object of a thread's samples by latency. Samples above the
// last cell are in none: cycles minus their sum tells how many.
func (c *cyclictestJSON) histogram(t *results.Tally) string {
	var lines []string
	if c.options.Histogram {
		hits, _ := cyclicCells(c.options, t)
		for i, n := range hits {
			if n > 0 {
				lines = append(lines, fmt.Sprintf("        \"%d\": %d", i, n))
			}
		}
	}
	if lines == nil {
		return `      "histogram": {}`
	}
	return "      \"histogram\": {\n" + strings.Join(lines, ",\n") + "\n      }"
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always has a JSON form
	return string(b)
}
