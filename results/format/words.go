package format

import (
	"fmt"
	"slices"
	"strings"

	"worstcase/results"
)

// shownSeries leaves out the series that a table has no place for: of a
// message's stages it shows the service time.
func shownSeries(series []results.SeriesInfo) []results.SeriesInfo {
	service := slices.DeleteFunc(slices.Clone(series), func(s results.SeriesInfo) bool {
		return s.Labels["what"] != "service"
	})
	if len(service) > 0 {
		return service
	}
	return series
}

// mode returns what a table calls a mode of measuring, by the age of the form.
func mode(form string, h *results.Header) string {
	names := map[string]string{
		results.ModeUser:    "periodic user-mode task",
		results.ModeKernel:  "in-kernel periodic task",
		results.ModeHandler: "in-kernel timer handler",
	}
	if form == Latmus {
		names = map[string]string{
			results.ModeUser: "user", results.ModeKernel: "kernel", results.ModeHandler: "irq",
		}
	}
	m := h.ConfigText(results.ConfigMode)
	if m == "" {
		m = results.ModeUser
	}
	if name, ok := names[m]; ok {
		return name
	}
	return m
}

// conditions returns the line that tells what makes the run special, if
// anything, where no RTT line tells it.
func conditions(h *results.Header) []string {
	if extra := special(h); len(extra) > 0 {
		return []string{"== Conditions: " + strings.Join(extra, ", ")}
	}
	return nil
}

// opening returns the lines above the table.
func opening(form string, h *results.Header) []string {
	const unit = "== All results in microseconds"
	period, _ := h.ConfigInt(results.ConfigPeriod)
	sampling := fmt.Sprintf("== Sampling period: %s us", micros(period))
	switch {
	case h.Tool == "transport":
		return []string{"== Message size: " + cell(h), unit}
	case h.Tool == "switchbench" && period == 0:
		return nil
	case h.Tool == "switchbench":
		return []string{sampling}
	case form == Latmus, form == Xenomai20 && h.Tool == "klatency":
		return nil
	case form == Xenomai20:
		return []string{sampling}
	}
	return []string{sampling, "== Test mode: " + mode(form, h), unit, "warming up..."}
}

// cell describes what a transport carries: size, rate, mechanism, ends.
func cell(h *results.Header) string {
	size, _ := h.ConfigInt(results.ConfigSize)
	rate := "as fast as possible"
	if hz, ok := h.ConfigInt(results.ConfigRate); ok && hz > 0 {
		rate = fmt.Sprintf("%d Hz", hz)
	}
	transport := h.ConfigText(results.ConfigTransport)
	if notifier := h.ConfigText(results.ConfigNotifier); notifier != "" {
		transport += "+" + notifier
	}
	return fmt.Sprintf("%d bytes, %s, %s, %s, %s", size, rate, transport,
		ends(h, results.ConfigPublishers, "publisher"), ends(h, results.ConfigSubscribers, "subscriber"))
}

func ends(h *results.Header, key, name string) string {
	n, ok := h.ConfigInt(key)
	if !ok {
		n = 1
	}
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s", n, name)
}

// bracket returns what RTT says of the run, with the two spaces before it. One
// series at SCHED_FIFO without a load has nothing to tell that Xenomai's does
// not; else the words that make it different follow.
func (t *table) bracket() string {
	if t.layout.bare {
		return ""
	}
	return "  (" + describe(t.form, &t.header) + ")"
}

// describe writes mode, period, priority and what is special, as RTT has it.
func describe(form string, h *results.Header) string {
	words := []string{mode(form, h)}
	if h.Tool == "transport" {
		words = []string{"message transport", "service time"}
	}
	if period, ok := h.ConfigInt(results.ConfigPeriod); ok && period > 0 {
		words = append(words, micros(period)+" us period")
	}
	if priority, ok := h.ConfigInt(results.ConfigPriority); ok {
		words = append(words, fmt.Sprintf("priority %d", priority))
	}
	if form == Latmus {
		return strings.Join(append(words, append(latmusCPU(h), special(h)...)...), ", ")
	}
	extra := special(h)
	if cpu := onlyCPU(h); len(extra) > 0 && cpu != "" {
		extra = append([]string{"CPU" + cpu}, extra...)
	}
	return strings.Join(append(words, extra...), ", ")
}

// special lists what makes a run other than Xenomai's own.
func special(h *results.Header) []string {
	words := switched(h)
	if load := h.ConfigText(results.ConfigLoad); load != "" {
		// The bracket's own words are parted by commas.
		words = append(words, "under load "+strings.ReplaceAll(load, ",", "+"))
	}
	if policy := h.ConfigText(results.ConfigPolicy); policy != "" && policy != "SCHED_FIFO" {
		words = append(words, policy)
	}
	if backend := h.ConfigText(results.ConfigBackend); backend != "" {
		words = append(words, backend)
	}
	return words
}

// switched lists how a switch was made, as far as it was not as Xenomai's: from
// a waker to a waiter below it, two threads of one process, on one CPU.
func switched(h *results.Header) []string {
	if h.Tool != "switchbench" {
		return nil
	}
	var words []string
	if m := h.ConfigText(results.ConfigMechanism); m != "" && m != "futex" {
		words = append(words, m)
	}
	threads, _ := h.ConfigInt(results.ConfigThreads)
	switch m := h.ConfigText(results.ConfigMeasure); m {
	case "", "hand-over":
	case "ring":
		size, _ := h.ConfigInt(results.ConfigWorkingSet)
		words = append(words, fmt.Sprintf("a hop in a ring of %d", threads), fmt.Sprintf("%d bytes touched", size))
	default:
		words = append(words, m)
	}
	if c := h.ConfigText(results.ConfigCase); c == "above" || c == "equal" {
		words = append(words, "waiter "+c)
	}
	if h.ConfigText(results.ConfigSpace) == "processes" {
		words = append(words, "between processes")
	}
	if cpus := h.ConfigText("cpus"); strings.ContainsAny(cpus, ",-") {
		words = append(words, "CPUs "+strings.ReplaceAll(cpus, ",", "+"))
	}
	return words
}

// onlyCPU is the CPU of all series, "" where they have several.
func onlyCPU(h *results.Header) string {
	if len(h.Series) == 0 {
		return ""
	}
	cpu := h.Series[0].Labels["cpu"]
	for _, s := range h.Series {
		if s.Labels["cpu"] != cpu {
			return ""
		}
	}
	return cpu
}

// latmusCPU is CPU3, or CPU3-noisol when that one is not isolated.
func latmusCPU(h *results.Header) []string {
	cpu := onlyCPU(h)
	switch {
	case len(h.Series) != 1 || cpu == "":
		return nil
	case listed(h.Host["cpu.isolated"], cpu):
		return []string{"CPU" + cpu}
	}
	return []string{"CPU" + cpu + "-noisol"}
}

// listed tells whether a list such as "0-3,6" holds a number.
func listed(list, number string) bool {
	var n, low, high int
	if _, err := fmt.Sscan(number, &n); err != nil {
		return false
	}
	for _, part := range strings.Split(list, ",") {
		if k, _ := fmt.Sscanf(part, "%d-%d", &low, &high); k == 1 {
			high = low
		} else if k == 0 {
			continue
		}
		if low <= n && n <= high {
			return true
		}
	}
	return false
}

// micros writes ns as µs, with a fraction only when there is one.
func micros(ns int64) string {
	if ns%1000 == 0 {
		return fmt.Sprint(ns / 1000)
	}
	return strings.TrimRight(fmt.Sprintf("%.3f", float64(ns)/1000), "0")
}
