package transport

import (
	"strconv"

	"worstcase/results"
)

// What lists what series measure, in the order of their ids within a cell.
const (
	Wakeup    = "wakeup"     // due time to the publisher's wake-up
	Fill      = "fill"       // writing the payload
	Service   = "service"    // sending to receiving
	Response  = "response"   // due time to receiving
	Read      = "read"       // reading and comparing the payload
	RoundTrip = "round-trip" // sending to receiving what came back
)

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
