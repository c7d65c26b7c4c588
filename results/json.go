package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// percentile is one of those that every total carries.
type percentile struct {
	name string
	q    float64
	none Missing
}

func percentiles() [6]percentile {
	return [...]percentile{
		{"p50_ns", 0.5, NoP50},
		{"p90_ns", 0.9, NoP90},
		{"p99_ns", 0.99, NoP99},
		{"p99_9_ns", 0.999, NoP99_9},
		{"p99_99_ns", 0.9999, NoP99_99},
		{"p99_999_ns", 0.99999, NoP99_999},
	}
}

// appendRecord appends rec as one line of a run log, without the newline. Its
// first field is its type: readers tell and skip lines by their first bytes.
func appendRecord(dst []byte, rec Record, e *encoder) ([]byte, error) {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, rec.recordType()...)
	dst = append(dst, `",`...)
	switch rec := rec.(type) {
	case *Interval:
		return append(appendInterval(dst, rec, e), '}'), nil
	case *Checkpoint:
		dst = strconv.AppendInt(append(dst, `"at_ns":`...), rec.At, 10)
		dst = append(dst, `,"series":[`...)
		for i := range rec.Series {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendTotal(append(dst, '{'), &rec.Series[i], e), '}')
		}
		return append(dst, "]}"...), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(rec); err != nil {
		return nil, fmt.Errorf("encode %s record: %w", rec.recordType(), err)
	}
	return append(dst, bytes.TrimSpace(b.Bytes())[1:]...), nil
}

// appendInterval appends the fields of iv.
func appendInterval(dst []byte, iv *Interval, e *encoder) []byte {
	dst = strconv.AppendInt(append(dst, `"series":`...), int64(iv.Series), 10)
	dst = appendInt(dst, "at_ns", iv.At)
	dst = strconv.AppendFloat(append(dst, `,"seconds":`...), iv.Seconds, 'g', -1, 64)
	return appendTally(append(dst, ','), &iv.Tally, e, false)
}

// appendTotal appends the fields of t.
func appendTotal(dst []byte, t *Total, e *encoder) []byte {
	dst = strconv.AppendInt(append(dst, `"id":`...), int64(t.ID), 10)
	if len(t.Labels) > 0 {
		labels, _ := json.Marshal(t.Labels) // strings have no errors
		dst = append(append(dst, `,"labels":`...), labels...)
	}
	if t.Thread != 0 {
		dst = appendInt(dst, "thread", int64(t.Thread))
	}
	if t.Last != 0 {
		dst = appendInt(dst, "last_ns", t.Last)
	}
	return appendTally(append(dst, ','), &t.Tally, e, true)
}

// appendTally appends the figures of t that there are: without samples there is
// no minimum, and what an imported file doesn't tell is left out. A total has
// mean and percentiles as well.
func appendTally(dst []byte, t *Tally, e *encoder, total bool) []byte {
	start := len(dst)
	if !t.Missing.Has(NoCount) {
		dst = appendInt(dst, "count", t.Count)
	}
	if !t.Empty() {
		dst = appendLatencies(dst, t, total)
	}
	if !t.Missing.Has(NoOverruns) {
		dst = appendInt(dst, "overruns", t.Overruns)
	}
	if !t.Missing.Has(NoLost) {
		dst = appendInt(dst, "lost", t.Lost)
	}
	dst = appendInt(dst, "unrecorded", t.Unrecorded)
	if t.Throttled != 0 {
		dst = appendInt(dst, "throttled", t.Throttled)
	}
	if t.Switches != 0 {
		dst = appendInt(dst, "switches", t.Switches)
	}
	if t.Missing != 0 {
		dst = append(dst, `,"missing":["`...)
		dst = append(dst, strings.Join(t.Missing.names(), `","`)...)
		dst = append(dst, `"]`...)
	}
	if h := t.Histogram; h != nil && h.count > 0 {
		if h.underflow > 0 {
			dst = appendInt(dst, "underflow", h.underflow)
		}
		if h.overflow > 0 {
			dst = appendInt(dst, "overflow", h.overflow)
		}
		dst = append(e.append(append(dst, `,"histogram":"`...), h), '"')
	}
	return append(dst[:start], dst[start+1:]...) // without the first comma
}

func appendLatencies(dst []byte, t *Tally, total bool) []byte {
	if !t.Missing.Has(NoMin) {
		dst = appendInt(dst, "min_ns", t.Min)
	}
	if total && !t.Missing.Has(NoMean) {
		dst = strconv.AppendFloat(append(dst, `,"mean_ns":`...), t.Mean(), 'f', 3, 64)
	}
	if total {
		for _, p := range percentiles() {
			if ns, known := t.Quantile(p.q); known && !t.Missing.Has(p.none) {
				dst = appendInt(dst, p.name, ns)
			}
		}
	}
	if !t.Missing.Has(NoMax) {
		dst = appendInt(dst, "max_ns", t.Max)
	}
	if !t.Missing.Has(NoMaxAt) {
		dst = appendInt(dst, "max_at_ns", t.MaxAt)
	}
	if t.Average != 0 {
		return strconv.AppendFloat(append(dst, `,"average_ns":`...), t.Average, 'g', -1, 64)
	}
	if t.Samples() > 0 {
		dst = appendInt(dst, "sum_ns", t.Sum)
	}
	return dst
}

func appendInt(dst []byte, name string, v int64) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return strconv.AppendInt(dst, v, 10)
}

// MarshalJSON writes an interval as the run log does, without its type.
func (iv Interval) MarshalJSON() ([]byte, error) {
	return append(appendInterval([]byte{'{'}, &iv, new(encoder)), '}'), nil
}

// MarshalJSON writes a total with mean and percentiles.
func (t Total) MarshalJSON() ([]byte, error) {
	return append(appendTotal([]byte{'{'}, &t, new(encoder)), '}'), nil
}

// outside are the samples that an HdrHistogram has no place for.
type outside struct {
	Underflow int64 `json:"underflow"`
	Overflow  int64 `json:"overflow"`
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (iv *Interval) UnmarshalJSON(text []byte) error {
	type plain Interval
	in := struct {
		*plain
		outside
	}{plain: (*plain)(iv)}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	return iv.setOutside(in.outside)
}

// UnmarshalJSON reads what MarshalJSON wrote. Mean and percentiles are not
// stored: sum and histogram give them.
func (t *Total) UnmarshalJSON(text []byte) error {
	type plain Total
	in := struct {
		*plain
		outside
	}{plain: (*plain)(t)}
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	return t.setOutside(in.outside)
}

func (t *Tally) setOutside(o outside) error {
	if o == (outside{}) {
		return nil
	}
	if t.Histogram == nil {
		t.Histogram = new(Histogram)
	}
	h := t.Histogram
	if o.Underflow < 0 || o.Overflow < 0 || o.Underflow > math.MaxInt64-h.count || o.Overflow > math.MaxInt64-h.count-o.Underflow {
		return errors.New("decode histogram: impossible underflow or overflow")
	}
	h.underflow += o.Underflow
	h.overflow += o.Overflow
	h.count += o.Underflow + o.Overflow
	return nil
}

// MarshalJSON leaves out what JSON has no number for.
func (f Figures) MarshalJSON() ([]byte, error) {
	finite := make(map[string]float64, len(f))
	for name, v := range f {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			finite[name] = v
		}
	}
	return json.Marshal(finite)
}

// parseRecord reads one line of a run log. It returns nil when the line is
// whole but of a type that this version doesn't know.
func parseRecord(line []byte) (Record, error) {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return nil, err
	}
	var rec Record
	switch kind.Type {
	case "run":
		rec = new(Header)
	case "interval":
		rec = new(Interval)
	case "load":
		rec = new(Load)
	case "spike":
		rec = new(Spike)
	case "checkpoint":
		rec = new(Checkpoint)
	case "end":
		rec = new(End)
	default:
		return nil, nil
	}
	return rec, json.Unmarshal(line, rec)
}
