package results

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// linePrefix is what every line of a run log begins with, and so the log.
const linePrefix = `{"type":"`

const (
	runPrefix        = linePrefix + `run"`
	intervalPrefix   = linePrefix + `interval"`
	checkpointPrefix = linePrefix + `checkpoint"`
)

// wholeInterval says whether line looks like an interval that was written
// whole: those hold no object.
func wholeInterval(line []byte) bool {
	return bytes.HasPrefix(line, []byte(intervalPrefix)) && line[len(line)-1] == '}' && bytes.IndexByte(line[1:], '{') < 0
}

// parseFigures reads an interval line without decoding its histogram, whose
// text it returns. A line that no Writer of this version wrote is left to
// encoding/json: then ok is false. This is what makes a day of intervals
// readable in less than a second.
func parseFigures(line []byte, iv *Interval) (histogram []byte, out outside, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(intervalPrefix))
	for ok && len(rest) > 1 {
		var name, value []byte
		if name, value, rest, ok = cutField(rest); !ok {
			return nil, out, false
		}
		switch string(name) {
		case "seconds":
			s, err := strconv.ParseFloat(string(value), 64)
			iv.Seconds, ok = s, err == nil
		case "average_ns", "missing":
			return nil, out, false
		case "histogram":
			if ok = value[0] == '"' && histogram == nil; ok {
				histogram = value[1 : len(value)-1]
			}
		default:
			n, isInt := parseInt(value)
			ok = isInt && setFigure(iv, &out, string(name), n)
		}
	}
	return histogram, out, ok && string(rest) == "}"
}

// cutField cuts `,"name":value` off the front of rest, where value is a number
// or a text without escapes, and without a carriage return, which base64 skips
// and JSON forbids.
func cutField(rest []byte) (name, value, after []byte, ok bool) {
	rest, ok = bytes.CutPrefix(rest, []byte(`,"`))
	if !ok {
		return nil, nil, nil, false
	}
	name, rest, ok = bytes.Cut(rest, []byte(`":`))
	if !ok || len(rest) == 0 {
		return nil, nil, nil, false
	}
	end := 0
	if rest[0] == '"' {
		end = bytes.IndexByte(rest[1:], '"') + 2
		if end < 2 || bytes.IndexByte(rest[:end], '\\') >= 0 || bytes.IndexByte(rest[:end], '\r') >= 0 {
			return nil, nil, nil, false
		}
	} else {
		end = bytes.IndexAny(rest, ",}")
	}
	if end <= 0 {
		return nil, nil, nil, false
	}
	return name, rest[:end], rest[end:], true
}

// parseInt reads what JSON allows as a whole number of 18 digits or less.
func parseInt(text []byte) (n int64, ok bool) {
	digits := bytes.TrimPrefix(text, []byte("-"))
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && len(digits) > 1 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}

// setFigure sets the field that has the JSON name.
func setFigure(iv *Interval, out *outside, name string, n int64) bool {
	switch name {
	case "series":
		if n < math.MinInt32 || n > math.MaxInt32 {
			return false
		}
		iv.Series = int(n)
	case "at_ns":
		iv.At = n
	case "count":
		iv.Count = n
	case "min_ns":
		iv.Min = n
	case "max_ns":
		iv.Max = n
	case "max_at_ns":
		iv.MaxAt = n
	case "sum_ns":
		iv.Sum = n
	case "overruns":
		iv.Overruns = n
	case "lost":
		iv.Lost = n
	case "unrecorded":
		iv.Unrecorded = n
	case "throttled":
		iv.Throttled = n
	case "switches":
		iv.Switches = n
	case "underflow":
		out.Underflow = n
	case "overflow":
		out.Overflow = n
	default:
		return false
	}
	return true
}

// parseInterval reads an interval line, its histogram as well when whole is set.
func parseInterval(line []byte, d *decoder, whole bool) (*Interval, error) {
	iv := new(Interval)
	text, out, ok := parseFigures(line, iv)
	if !ok {
		iv = new(Interval)
		return iv, json.Unmarshal(line, iv)
	}
	if !whole {
		return iv, nil
	}
	if text != nil {
		iv.Histogram = new(Histogram)
		if err := d.decode(iv.Histogram, text); err != nil {
			return nil, err
		}
	}
	return iv, iv.setOutside(out)
}
