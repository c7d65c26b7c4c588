package format

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// A heading is what stands above the rows of a table and holds for them all.
type heading struct {
	title    string
	notes    []string
	period   time.Duration
	mode     string
	priority string
	place    string // latmus: the CPU
	load     string
	policy   string
	backend  string
	message  string        // what a transport carries, in words
	unit     time.Duration // as the text says it, 0 when it doesn't
	rtai     bool
	latmus   bool
	columns  []meaning
	named    bool // rows begin with a label instead of RTD or RTS
	klatency bool
}

// has tells whether the table has a column.
func (h *heading) has(c meaning) bool {
	for _, have := range h.columns {
		if have == c {
			return true
		}
	}
	return false
}

// switches tells whether the table is one of context switches, each row of which
// is a whole run.
func (h *heading) switches() bool { return h.has(colLost) && !h.has(colBest) }

// tool names what made the table, by its heading.
func (h *heading) tool() string {
	switch {
	case h.message != "":
		return "transport"
	case h.latmus:
		return "latmus"
	case h.rtai:
		return "rtai"
	case h.switches():
		return "switchbench"
	case h.klatency, strings.HasPrefix(strings.ToLower(h.title), "klatency"):
		return "klatency"
	}
	return "latency"
}

// describe writes the heading into a draft.
func (h *heading) describe(d *foreign.Draft) {
	d.Set("title", h.title)
	if h.message == "" {
		d.Set(results.ConfigMode, modeOf(h.mode))
	} else {
		describeMessage(d, h.message)
	}
	if priority, err := strconv.Atoi(h.priority); err == nil {
		d.Set(results.ConfigPriority, priority)
	}
	d.Set("place", h.place)
	d.Set(results.ConfigLoad, h.load)
	d.Set(results.ConfigPolicy, h.policy)
	d.Set(results.ConfigBackend, h.backend)
	if h.period > 0 {
		d.Set(results.ConfigPeriod, int64(h.period))
	}
	if strings.Contains(d.Header.Label, "(*)") {
		d.Set("note", strings.Join(h.notes, "; "))
	}
}

// describeMessage writes what a transport carries into a draft: "1024 bytes, 100
// Hz, shm+futex, 1 publisher, 2 subscribers".
func describeMessage(d *foreign.Draft, message string) {
	for i, part := range strings.Split(message, ", ") {
		number, unit, _ := strings.Cut(part, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		switch unit = strings.TrimSuffix(unit, "s"); {
		case err != nil && i == 2:
			transport, notifier, _ := strings.Cut(part, "+")
			d.Set(results.ConfigTransport, transport)
			d.Set(results.ConfigNotifier, notifier)
		case err != nil:
		case unit == "byte":
			d.Set(results.ConfigSize, n)
		case unit == "Hz":
			d.Set(results.ConfigRate, n)
		case unit == "publisher":
			d.Set(results.ConfigPublishers, n)
		case unit == "subscriber":
			d.Set(results.ConfigSubscribers, n)
		}
	}
}

// modeOf is the mode in our words, where ours differ.
func modeOf(mode string) string {
	switch mode {
	case "periodic user-mode task":
		return results.ModeUser
	case "in-kernel periodic task":
		return results.ModeKernel
	case "in-kernel timer handler", "irq":
		return results.ModeHandler
	}
	return mode
}

// equals takes a line that opens with "==".
func (h *heading) equals(line []byte) {
	key, value, _ := strings.Cut(string(bytes.TrimLeft(clipLine(line), "= ")), ":")
	value = strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(key, "All results in "):
		h.unit, _ = foreign.ParseUnit(strings.TrimPrefix(key, "All results in "))
	case key == "Sampling period":
		h.period = readPeriod(value)
	case key == "Test mode":
		h.mode = value
	case key == "Message size":
		h.message = value
	case key == "Conditions":
		for _, part := range strings.Split(value, ", ") {
			h.condition(part)
		}
	}
}

// rtt takes the line that opens with RTT: the time so far, and in brackets the
// mode, period, priority and, in later versions, more.
func (h *heading) rtt(bracket []byte) {
	h.latmus = false
	for i, part := range strings.Split(string(bytes.TrimRight(clipLine(bracket), ") ")), ",") {
		part = strings.TrimSpace(part)
		switch word, rest, _ := strings.Cut(part, " "); {
		case i == 0:
			h.mode = part
			h.latmus = part == "user" || part == "kernel" || part == "irq"
		case strings.HasSuffix(part, " period"):
			h.period = readPeriod(strings.TrimSuffix(part, " period"))
		case word == "priority":
			h.priority = rest
		case strings.HasPrefix(part, "CPU"):
			h.place = part
		default:
			h.condition(part)
		}
	}
}

// condition takes what made a run other than Xenomai's.
func (h *heading) condition(part string) {
	switch load, loaded := strings.CutPrefix(part, "under load "); {
	case loaded:
		h.load = strings.ReplaceAll(load, "+", ",")
	case strings.HasPrefix(part, "SCHED_"):
		h.policy = part
	case part == "eBPF", part == "timerlat":
		h.backend = part
	}
}

// text takes a line of prose: perhaps the title of the table to come.
func (h *heading) text(line []byte) {
	s := strings.TrimSpace(string(clipLine(line)))
	if strings.HasPrefix(s, "CONFIG_") {
		if len(h.notes) < 16 {
			h.notes = append(h.notes, strings.TrimRight(s, ":;,."))
		}
		return
	}
	if title, ok := strings.CutSuffix(s, ":"); ok {
		h.title, h.load = title, ""
		if strings.Contains(strings.ToLower(title), "with load") {
			h.load = "unnamed"
		}
	}
	if _, value, ok := strings.Cut(s, "# period ="); ok {
		h.period = readPeriod(value)
	}
	if strings.Contains(s, "all data in nanoseconds") {
		h.unit, h.rtai, h.title = time.Nanosecond, true, ""
		switch {
		case strings.Contains(s, "KERNEL"):
			h.mode = "kernel"
		case strings.Contains(s, "USER"):
			h.mode = "user"
		}
	}
}

// header takes the column names of a table.
func (h *heading) header(cells [][]byte) {
	h.columns = h.columns[:0]
	h.named = string(cells[0]) != "RTH"
	h.klatency = false
	for _, cell := range cells[1:min(len(cells), 16)] {
		h.columns = append(h.columns, meaningOf(cell))
		h.klatency = h.klatency || bytes.Contains(cell, []byte("klat"))
	}
}

// assume gives the columns to a row of n cells that no header precedes, as with
// -q and -l 0: those of Xenomai 3, with msw, or of Xenomai 2.
func (h *heading) assume(kind string, n int) {
	if kind == "RTS" {
		n++ // best and worst make room for the time
	}
	switch n {
	case 7:
		h.columns = []meaning{colMin, colAvg, colMax, colOverruns, colSwitches, colBest, colWorst}
	case 6:
		h.columns = []meaning{colMin, colAvg, colMax, colOverruns, colBest, colWorst}
	}
}

// readPeriod reads "100 us", "1000000 (ns)"; 0 when it is neither.
func readPeriod(text string) time.Duration {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), " ")
	u, err := foreign.ParseUnit(strings.Trim(unit, "() "))
	if err != nil {
		return 0
	}
	ns, err := foreign.ParseTime([]byte(number), u)
	if err != nil {
		return 0
	}
	return time.Duration(ns)
}

// clipLine bounds what is kept of a line of prose.
func clipLine(line []byte) []byte { return line[:min(len(line), 160)] }

// cpuLabels are the labels of a series that a table calls CPU1, or nil when
// name is not of that form.
func cpuLabels(name string) results.Labels {
	digits, ok := strings.CutPrefix(name, "CPU")
	if !ok || digits == "" || len(digits) > 5 || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	return results.Labels{"cpu": digits}
}
