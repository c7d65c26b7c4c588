package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"worstcase/host"
)

// A Duration is a flag's value: a number with a unit, or a bare one that
// counts Unit.
type Duration struct {
	time.Duration
	// Unit of a bare number.
	Unit time.Duration
	// Set tells whether the flag was given.
	Set bool
}

// Set parses s, such as 60, 60s, 5m or 1h30m.
func (d *Duration) parse(s string) error {
	if v, err := strconv.ParseFloat(s, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		v *= float64(d.Unit)
		if !(math.Abs(v) < math.MaxInt64) { // also what is not a number
			return fmt.Errorf("%q is no duration: it is beyond 292 years", s)
		}
		d.Duration = time.Duration(v)
		return nil
	}
	v, err := time.ParseDuration(strings.Replace(s, "us", "µs", 1))
	if err != nil {
		return fmt.Errorf("%q is no duration: a number of %s, or one with a unit (ns, us, ms, s, m, h)", s, unitName(d.Unit))
	}
	d.Duration = v
	return nil
}

func unitName(unit time.Duration) string {
	switch unit {
	case time.Nanosecond:
		return "nanoseconds"
	case time.Microsecond:
		return "microseconds"
	}
	return "seconds"
}

// durationValue makes a Duration a pflag.Value.
type durationValue struct{ *Duration }

// Value returns d as a flag's value.
func (d *Duration) Value() interface {
	String() string
	Set(string) error
	Type() string
} {
	return durationValue{d}
}

func (v durationValue) String() string {
	if v.Duration == nil || v.Duration.Duration == 0 {
		return ""
	}
	if v.Unit > 0 && v.Duration.Duration%v.Unit == 0 {
		return strconv.FormatInt(int64(v.Duration.Duration/v.Unit), 10)
	}
	return v.Duration.Duration.String()
}

func (v durationValue) Set(s string) error {
	v.Duration.Set = true
	return v.parse(s)
}

func (v durationValue) Type() string {
	switch v.Unit {
	case time.Nanosecond:
		return "ns"
	case time.Microsecond:
		return "us"
	}
	return "time"
}

// A CPUList is a flag's value such as 0-3,6.
type CPUList []int

// String is the list in ranges.
func (l *CPUList) String() string { return host.FormatCPUList(*l) }

// Set parses s.
func (l *CPUList) Set(s string) error {
	cpus, err := host.ParseCPUList(s)
	if err != nil {
		return err
	}
	if len(cpus) == 0 {
		return errors.New("the list is empty")
	}
	*l = cpus
	return nil
}

// Type names the value in the help.
func (l *CPUList) Type() string { return "list" }

// CheckOnline says which of the CPUs can't be measured, if any.
func (l CPUList) CheckOnline() error {
	online, err := host.OnlineCPUs()
	if err != nil {
		return err
	}
	for _, cpu := range l {
		found := false
		for _, o := range online {
			found = found || o == cpu
		}
		if !found {
			return Usagef("cpu %d is not online (online: %s)", cpu, host.FormatCPUList(online))
		}
	}
	return nil
}
