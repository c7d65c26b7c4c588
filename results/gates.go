package results

import (
	"fmt"
	"time"
)

// Limits are what a run's figures shall not exceed. The zero value has none.
type Limits struct {
	// Max is the largest latency allowed, 0 for any.
	Max time.Duration
	// Break is the latency at which the run should have stopped, 0 for none.
	Break       time.Duration
	Percentiles []PercentileLimit
	// MaxOverruns and MaxLost are nil for any number. What a full ring left
	// unrecorded counts as lost.
	MaxOverruns *int64
	MaxLost     *int64
}

// A PercentileLimit is the largest latency allowed at a percentile, such as
// 99.999.
type PercentileLimit struct {
	Percentile float64
	Limit      time.Duration
}

// Gates holds every series of an ended run against the limits. A latency that
// is not known, since nothing was measured, does not pass.
func (l Limits) Gates(end *End) []Gate {
	var gates []Gate
	for i := range end.Series {
		s := &end.Series[i]
		gates = append(gates, l.latencies(s)...)
		if l.MaxOverruns != nil {
			gates = append(gates, count("max-overruns", s, *l.MaxOverruns, s.Overruns))
		}
		if l.MaxLost != nil {
			gates = append(gates, count("max-lost", s, *l.MaxLost, s.Lost+s.Unrecorded))
		}
	}
	return gates
}

// latencies are the gates of one series that are in ns.
func (l Limits) latencies(s *Total) []Gate {
	var gates []Gate
	known := s.Samples() > 0
	if l.Max > 0 {
		gates = append(gates, latency("max", s, l.Max, s.Max, known))
	}
	if l.Break > 0 {
		gates = append(gates, latency("break", s, l.Break, s.Max, known))
	}
	for _, p := range l.Percentiles {
		value, known := s.Quantile(p.Percentile / 100)
		gates = append(gates, latency(fmt.Sprintf("percentile %g", p.Percentile), s, p.Limit, value, known))
	}
	return gates
}

func latency(name string, s *Total, limit time.Duration, value int64, known bool) Gate {
	return Gate{
		Name: name, Series: s.ID, Limit: float64(limit), Value: float64(value), Unit: "ns",
		Pass: known && value <= int64(limit),
	}
}

func count(name string, s *Total, limit, value int64) Gate {
	return Gate{Name: name, Series: s.ID, Limit: float64(limit), Value: float64(value), Pass: value <= limit}
}
