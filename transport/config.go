package transport

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/rtsched"
	"worstcase/session"
	"worstcase/transport/shm"
)

// A Config is one cell: one transport, size, rate and number of ends, measured
// as one run. The zero Config lacks only the transport.
type Config struct {
	Transport Transport
	// Size of the payload in bytes; 16 when 0.
	Size int
	// Rate in messages a second; 100 when 0, and as fast as possible when negative.
	Rate float64
	// Publishers and Subscribers, a process each; 1 when 0. Every subscriber gets
	// the messages of every publisher.
	Publishers, Subscribers int
	// Duration of the measured time, 0 when it isn't known beforehand.
	Duration time.Duration

	// Policy and Priority of the measuring threads; SCHED_FIFO 98 when zero.
	Policy   rtsched.Policy
	Priority int
	// CPUs for the publishers and then the subscribers, in turn. Without any, the
	// threads run where the scheduler puts them.
	CPUs []int

	Notifier shm.Notifier
	// Drop is the arena's policy for best effort.
	Drop shm.Policy
	// Depth of queues in messages; 10 when 0.
	Depth int
	// BestEffort drops messages rather than wait for a subscriber.
	BestEffort bool
	// NoTouch neither fills nor reads the payload: it leaves out what a message
	// costs its users.
	NoTouch bool
	// Words fills and reads the payload as 32-bit integers, one by one, as a message
	// of repeated integers is; else it is copied as bytes.
	Words bool
	// RoundTrip has subscribers send every message back.
	RoundTrip bool
	// URL of a broker that runs already.
	URL string
	// AllowThrottle lets spinning threads spin all the time.
	AllowThrottle bool
	// Unlocked leaves the memory unlocked.
	Unlocked bool
	// DMALatency is held at /dev/cpu_dma_latency, so that CPUs don't fall into deep
	// idle states; KeepIdle leaves that alone.
	DMALatency time.Duration
	KeepIdle   bool
}

// WithDefaults fills in what is zero, and says what can't be.
func (c Config) WithDefaults() (Config, error) {
	for _, d := range []struct {
		v       *int
		or, max int
		what    string
	}{
		{&c.Size, 16, 1 << 30, "bytes"},
		{&c.Publishers, 1, 16, "publishers"},
		{&c.Subscribers, 1, 32, "subscribers"},
		{&c.Depth, 10, 1 << 16, "messages of depth"},
	} {
		if *d.v == 0 {
			*d.v = d.or
		}
		if *d.v < 1 || *d.v > d.max {
			return c, fmt.Errorf("%d %s: 1 to %d", *d.v, d.what, d.max)
		}
	}
	if c.Rate == 0 {
		c.Rate = 100
	}
	if c.Rate > 1e6 {
		return c, fmt.Errorf("%v messages a second: at most 1000000, or -1 for as fast as possible", c.Rate)
	}
	if c.Priority == 0 {
		c.Priority = 98
	}
	if c.Policy == rtsched.Deadline {
		return c, fmt.Errorf("SCHED_DEADLINE throttles a thread that waits for another's messages: use fifo, rr or other")
	}
	if c.RoundTrip && (c.Subscribers > 1 || c.Publishers > 1) {
		return c, fmt.Errorf("a round trip has one publisher and one subscriber")
	}
	return c, nil
}

// Period between messages, 0 for as fast as possible.
func (c *Config) Period() time.Duration {
	if c.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / c.Rate)
}

// SlotPeriod is the time between the samples of each series, as a
// session.Config has it; 0 where the series differ in it, for each publisher
// keeps its own time.
func (c *Config) SlotPeriod() time.Duration {
	if c.Publishers > 1 {
		return 0
	}
	return c.Period()
}

// ringPeriod is the time between rows for which the rings are made. Those of
// runs without a period overflow, and keep what the overflow adds up to.
func (c *Config) ringPeriod() time.Duration {
	return max(c.Period(), 20*time.Microsecond)
}

// spins says that subscribers wait without sleeping.
func (c *Config) spins() bool { return c.Transport.Name() == arena{}.Name() && c.Notifier == shm.Spin }

// notifies says that the notifier is a choice of this cell's transport.
func (c *Config) notifies() bool { return c.Transport.Name() == arena{}.Name() }

// options are what the ends need to know.
func (c *Config) options() Options {
	return Options{
		Size: HeaderBytes + c.Size, Depth: c.Depth, BestEffort: c.BestEffort, Subscribers: c.Subscribers,
		Notifier: c.Notifier, Policy: c.Drop, Raw: !c.Transport.Managed(), URL: c.URL,
	}
}

// cpu is where end i runs, publishers first; negative for anywhere.
func (c *Config) cpu(i int) int {
	if len(c.CPUs) == 0 {
		return -1
	}
	return c.CPUs[i%len(c.CPUs)]
}

// Session is the run of the cell, to be measured by the Source of the same Config.
func (c *Config) Session() session.Config {
	return session.Config{
		Header:   results.Header{Tool: "transport", Config: c.Record()},
		Duration: c.Duration, Period: c.SlotPeriod(),
	}
}

// Record is the configuration as the run log keeps it.
func (c *Config) Record() map[string]any {
	m := map[string]any{
		results.ConfigTransport:   c.Transport.Name(),
		results.ConfigSize:        c.Size,
		results.ConfigRate:        max(c.Rate, 0),
		results.ConfigPublishers:  c.Publishers,
		results.ConfigSubscribers: c.Subscribers,
		results.ConfigPolicy:      c.Policy.String(),
		"description":             c.Transport.Describe(),
		"depth":                   c.Depth,
		"reliability":             map[bool]string{false: "reliable", true: "best effort"}[c.BestEffort],
		"touch":                   !c.NoTouch,
		"header_bytes":            HeaderBytes,
	}
	if c.Words {
		m["payload"] = "words"
	}
	if p := c.Period(); p > 0 {
		m[results.ConfigPeriod] = int64(p)
	}
	if c.Policy.Fixed() {
		m[results.ConfigPriority] = c.Priority
	}
	if c.notifies() {
		m[results.ConfigNotifier] = c.Notifier.String()
		if c.BestEffort {
			m["drop"] = c.options().arenaPolicy().String()
		}
	}
	if c.Transport.Managed() {
		m["managed"] = true
	}
	if !c.KeepIdle {
		m["dma_latency_ns"] = int64(c.DMALatency)
	}
	if len(c.CPUs) > 0 {
		m["cpus"] = joinInts(c.CPUs)
	}
	if c.AllowThrottle {
		m["allow_throttle"] = true
	}
	return m
}

func joinInts(ints []int) string {
	var words []string
	for _, i := range ints {
		words = append(words, strconv.Itoa(i))
	}
	return strings.Join(words, ",")
}
