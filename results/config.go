package results

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Keys of a Header's Config that more than one tool writes, or that printers
// and comparisons read. An absent key means that it does not apply.
const (
	// ConfigPeriod is the sampling period, in ns; for messages, the slot.
	ConfigPeriod = "period_ns"
	// ConfigDuration is the time asked for by -T, in ns; absent without limit.
	ConfigDuration = "duration_ns"
	// ConfigCommand is the command line that measured, its words as they came.
	ConfigCommand = "command"
	// ConfigMode is what measures: ModeUser, ModeKernel or ModeHandler.
	ConfigMode = "mode"
	// ConfigPolicy of the measuring threads, such as SCHED_FIFO.
	ConfigPolicy = "policy"
	// ConfigPriority of the measuring threads.
	ConfigPriority = "priority"
	// ConfigBackend is the instrument where there is a choice: eBPF, timerlat.
	ConfigBackend = "backend"
	// ConfigTimer is how a thread waits: nanosleep, timerfd, posix, busy.
	ConfigTimer = "timer"
	// ConfigSpikes is how many of the worst samples to keep, with --spikes.
	ConfigSpikes = "spikes"
	// ConfigLoad names the load; absent without one.
	ConfigLoad = "load"
	// ConfigTransport, ConfigNotifier, ConfigSize (bytes) and ConfigRate (Hz, 0
	// for as fast as possible) describe a transport's cell.
	ConfigTransport = "transport"
	ConfigNotifier  = "notifier"
	ConfigSize      = "size_bytes"
	ConfigRate      = "rate_hz"
	// ConfigPublishers and ConfigSubscribers count a cell's ends.
	ConfigPublishers  = "publishers"
	ConfigSubscribers = "subscribers"
	// ConfigMechanism, ConfigMeasure, ConfigCase (the waiter below, above or equal
	// to the waker), ConfigSpace (threads or processes), ConfigThreads and
	// ConfigWorkingSet (bytes) describe what of a switch was measured.
	ConfigMechanism  = "mechanism"
	ConfigMeasure    = "measure"
	ConfigCase       = "case"
	ConfigSpace      = "space"
	ConfigThreads    = "threads"
	ConfigWorkingSet = "working_set_bytes"
)

// The values of ConfigMode: a periodic thread in user space, one in the kernel,
// and the kernel's timer handler.
const (
	ModeUser    = "user"
	ModeKernel  = "kernel"
	ModeHandler = "handler"
)

// ConfigText returns a text of the configuration, empty when absent.
func (h *Header) ConfigText(key string) string {
	s, _ := h.Config[key].(string)
	return s
}

// ConfigString writes a value of the configuration for people: numbers, which a
// log gives back as floating-point ones, without an exponent.
func ConfigString(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// ConfigInt returns a whole number of the configuration, whether it was put
// there by a tool or read from a log.
func (h *Header) ConfigInt(key string) (int64, bool) {
	switch v := h.Config[key].(type) {
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case uint32:
		return int64(v), true
	case uint64:
		return int64(v), true
	case time.Duration:
		return int64(v), true
	case float64:
		return int64(v), v == float64(int64(v))
	case json.Number:
		n, err := v.Int64()
		return n, err == nil
	}
	return 0, false
}
