package transport

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/rtsched"
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

// labels are those that all series of the cell share.
func (c *Config) labels() results.Labels {
	l := results.Labels{
		"transport": c.Transport.Name(),
		"size":      SizeName(c.Size),
		"rate":      RateName(c.Rate),
	}
	if c.notifies() {
		l["notifier"] = c.Notifier.String()
	}
	if c.Subscribers > 1 {
		l["subscribers"] = strconv.Itoa(c.Subscribers)
	}
	return l
}

// SizeName writes a size as options take it: 16B, 64K, 10M.
func SizeName(n int) string {
	for _, u := range []struct {
		bytes int
		name  string
	}{{1 << 30, "G"}, {1 << 20, "M"}, {1 << 10, "K"}} {
		if n > 0 && n%u.bytes == 0 {
			return strconv.Itoa(n/u.bytes) + u.name
		}
	}
	return strconv.Itoa(n) + "B"
}

// ParseSize reads a size: a number of bytes, or one with the unit B, K, M or G.
func ParseSize(s string) (int, error) {
	units := map[byte]int{'B': 1, 'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30}
	digits, unit := s, 1
	if s != "" {
		if u, ok := units[s[len(s)-1]&^0x20]; ok {
			digits, unit = s[:len(s)-1], u
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 1<<30/unit {
		return 0, fmt.Errorf("%q is no size: 1 to 1G bytes, such as 16B, 64K or 10M", s)
	}
	return n * unit, nil
}

// RateName writes a rate as options take it.
func RateName(hz float64) string {
	if hz < 0 {
		return "-1"
	}
	return strconv.FormatFloat(hz, 'f', -1, 64)
}

// What lists what series measure, in the order of their ids within a cell.
const (
	Wakeup    = "wakeup"     // due time to the publisher's wake-up
	Fill      = "fill"       // writing the payload
	Service   = "service"    // sending to receiving
	Response  = "response"   // due time to receiving
	Read      = "read"       // reading and comparing the payload
	RoundTrip = "round-trip" // sending to receiving what came back
)

// publisherSeries and subscriberSeries are what each end measures.
func (c *Config) publisherSeries() []string {
	if c.NoTouch {
		return []string{Wakeup}
	}
	return []string{Wakeup, Fill}
}

func (c *Config) subscriberSeries() []string {
	if c.NoTouch {
		return []string{Service, Response}
	}
	return []string{Service, Response, Read}
}

// series lists the series of the cell: subscribers' first, then publishers',
// then the round trip.
func (c *Config) series() []results.SeriesInfo {
	var infos []results.SeriesInfo
	add := func(what, end string, n, of int) {
		l := c.labels()
		l["what"] = what
		if end == "subscriber" || of > 1 {
			l[end] = strconv.Itoa(n + 1)
		}
		infos = append(infos, results.SeriesInfo{ID: len(infos), Labels: l})
	}
	for s := range c.Subscribers {
		for _, what := range c.subscriberSeries() {
			add(what, "subscriber", s, c.Subscribers)
		}
	}
	for p := range c.Publishers {
		for _, what := range c.publisherSeries() {
			add(what, "publisher", p, c.Publishers)
		}
	}
	if c.RoundTrip {
		add(RoundTrip, "publisher", 0, 1)
	}
	return infos
}

// serviceSeries is the id of subscriber s' first series.
func (c *Config) serviceSeries(s int) int { return s * len(c.subscriberSeries()) }

// wakeupSeries is the id of publisher p's first series.
func (c *Config) wakeupSeries(p int) int {
	return c.Subscribers*len(c.subscriberSeries()) + p*len(c.publisherSeries())
}

// Find returns the transport of that name.
func Find(list []Transport, name string) (Transport, bool) {
	i := slices.IndexFunc(list, func(t Transport) bool { return t.Name() == name })
	if i < 0 {
		return nil, false
	}
	return list[i], true
}
