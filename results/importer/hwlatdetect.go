package importer

import (
	"bytes"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// readHwlatdetect reads what hwlatdetect prints. Only gaps above its threshold
// are samples to it, so that count, minimum and mean stay unknown, and the
// maximum as well when all were below.
//
//	hwlatdetect:  test duration 3 seconds
//	        Latency threshold: 10us
//	Max Latency: 24018us
//	ts: 1796069523.239770541, inner:24018, outer:20020
func readHwlatdetect(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &hwlat{draft: foreign.NewDraft("hwlatdetect", "hwlatdetect", len(text))}
	r.series = r.draft.Series(nil)
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok && r.draft.Err() == nil; line, ok = lines.Next() {
		if ts, ok := bytes.CutPrefix(line, []byte("ts: ")); ok {
			r.sample(ts)
			continue
		}
		key, value, _ := strings.Cut(strings.TrimSpace(string(line[:min(len(line), 200)])), ":")
		r.fact(key, strings.TrimSpace(value))
	}
	if !r.told {
		return nil, foreign.ErrNoFigures
	}
	if r.limit > 0 && !r.series.Tally.Missing.Has(results.NoMax) {
		worst := r.series.Tally.Max
		r.draft.Gates = append(r.draft.Gates, results.Gate{
			Name: "max", Limit: float64(r.limit), Value: float64(worst), Unit: "ns", Pass: worst <= r.limit,
		})
	}
	return []*foreign.Draft{r.draft}, nil
}

// An hwlat is such a text while it is read.
type hwlat struct {
	draft  *foreign.Draft
	series *foreign.Series
	limit  int64 // the threshold, in ns
	told   bool  // whether the maximum was spoken of
}

func (r *hwlat) fact(key, value string) {
	d := r.draft
	us := func() int64 {
		ns, err := foreign.ParseTime([]byte(strings.TrimSuffix(value, "us")), time.Microsecond)
		if err != nil {
			return 0
		}
		return ns
	}
	count := func(name string) {
		if n, err := foreign.ParseCount([]byte(value)); err == nil {
			d.After[name] = float64(n)
		}
	}
	switch key {
	case "hwlatdetect":
		words := strings.Fields(value)
		if len(words) == 4 && words[3] == "seconds" {
			if ns, err := foreign.ParseTimeF([]byte(words[2]), time.Second); err == nil {
				d.Seconds = ns / 1e9
			}
		}
	case "CPU list":
		if value != "None" {
			d.Set("cpus", value)
		}
	case "Latency threshold":
		r.limit = us()
		d.Set("threshold_ns", r.limit)
	case "Sample window":
		d.Set("window_ns", us())
	case "Sample width":
		d.Set("width_ns", us())
	case "Max Latency":
		r.told = true
		if value == "Below threshold" {
			d.Warn("every gap was below the threshold of %v: the maximum is not told", time.Duration(r.limit))
		} else if ns := us(); ns > 0 {
			r.series.Max(ns)
		}
	case "Samples recorded":
		count("samples_recorded")
	case "Samples exceeding threshold":
		count("samples_exceeding")
	case "SMIs during run":
		count("smis")
	}
}

// sample takes "1796069523.239770541, inner:24018, outer:20020".
func (r *hwlat) sample(line []byte) {
	ts, rest, _ := bytes.Cut(line, []byte{','})
	at, err := foreign.ParseDate(ts)
	if err != nil {
		return
	}
	spike := results.Spike{Series: r.series.ID, At: at, Stages: map[string]int64{}}
	for part := range bytes.SplitSeq(rest, []byte{','}) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(part), []byte{':'})
		ns, err := foreign.ParseTime(value, time.Microsecond)
		if err != nil || len(spike.Stages) == 2 {
			return
		}
		spike.Stages[string(foreign.Clip(name))] = ns
		spike.Latency = max(spike.Latency, ns)
	}
	r.draft.Spike(spike)
}
