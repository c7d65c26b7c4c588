package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// readCyberBenchmark reads the text of cyber_benchmark, one run a block:
//
//	data-size:64K/reader-nums:1/frequency:10/data_type:0/qos:0:
//	cyber_tran_latency:
//	  avg: 84.6, pmin: 61.0, pmax: 120.0, p50: 83.0, p95: 110.0, p99: 118.0
//	bandwidth: 5.0 mbps
//	msg_lose_rate: 0.0%
//
// Each of these figures is one of means over a second, the largest and the
// smallest of which were thrown away: only the mean is a mean of latencies, and
// no minimum, maximum or percentile is told. The others stand under "after".
func readCyberBenchmark(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	r := &cyber{size: len(text)}
	lines := foreign.Lines{Rest: text}
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		line = bytes.TrimSpace(line)
		if bytes.HasPrefix(line, []byte("data-size:")) && bytes.HasSuffix(line, []byte(":")) {
			if len(r.drafts) > 64+len(text)/64 {
				return nil, foreign.ErrSize
			}
			r.open(string(line[:min(len(line)-1, 200)]))
			continue
		}
		if len(r.drafts) > 0 {
			r.line(string(line[:min(len(line), 300)]))
		}
	}
	if len(r.drafts) == 0 {
		return nil, foreign.ErrNoFigures
	}
	return r.drafts, nil
}

// A cyber is such a text while it is read.
type cyber struct {
	size   int
	drafts []*foreign.Draft
	series *foreign.Series
	metric string
}

// open begins the run of a cell of the benchmark's matrix.
func (r *cyber) open(cell string) {
	d := foreign.NewDraft("transport", "cyber-benchmark", r.size)
	d.Set("title", cell)
	d.Set(results.ConfigTransport, "cyberrt")
	labels := results.Labels{"transport": "cyberrt", "what": "service"}
	for part := range strings.SplitSeq(cell, "/") {
		key, value, _ := strings.Cut(part, ":")
		n, err := strconv.ParseInt(value, 10, 32)
		switch {
		case key == "data-size":
			if size, ok := byteSize(value); ok {
				d.Set(results.ConfigSize, size)
				labels["size"] = value
			}
		case err != nil:
		case key == "reader-nums":
			d.Set(results.ConfigSubscribers, n)
		case key == "frequency":
			d.Set(results.ConfigRate, max(n, 0)) // -1: as fast as possible
			labels["rate"] = value
		case key == "data_type":
			d.Set("data_type", n)
		case key == "qos" && n == 1:
			d.Set("qos", "best effort")
		case key == "qos":
			d.Set("qos", "reliable")
		}
	}
	r.series = d.Series(labels)
	r.drafts = append(r.drafts, d)
	r.metric = ""
}

func (r *cyber) line(line string) {
	d := r.drafts[len(r.drafts)-1]
	key, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case !ok || !d.Spend(400):
	case value == "":
		r.metric = key
	case key == "avg":
		r.figures(d, line)
	case key == "bandwidth":
		number, _, _ := strings.Cut(value, " ")
		put(d, "bandwidth_mibit_s", number)
	case key == "msg_lose_rate":
		put(d, "loss_percent", strings.TrimSuffix(value, "%"))
	}
}

// figures takes the line of figures of the metric named before.
func (r *cyber) figures(d *foreign.Draft, line string) {
	for part := range strings.SplitSeq(line, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(part), ":")
		value = strings.TrimSpace(value)
		switch r.metric {
		case "cyber_tran_latency":
			ns, err := foreign.ParseTimeF([]byte(value), time.Microsecond)
			if err != nil {
				continue
			}
			if key == "avg" {
				r.series.Mean(ns)
			} else {
				d.After["mean_of_seconds."+key+"_ns"] = ns
			}
		case "cpu_usage":
			if key == "avg" {
				put(d, "cpu_percent", value)
			}
		case "mem_usage":
			if key == "avg" {
				put(d, "mem_usage", value)
			}
		}
	}
}

// put stores a number under "after", if it is one.
func put(d *foreign.Draft, key, number string) {
	if f, err := foreign.ParseTimeF([]byte(number), 1); err == nil {
		d.After[key] = f
	}
}

// byteSize reads a size such as 16B, 1K, 64K, 10M or 250MB, in bytes of 1024.
func byteSize(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
	if end < 0 {
		end = len(text)
	}
	f, err := strconv.ParseFloat(text[:end], 64)
	shift, ok := map[string]uint{"": 0, "B": 0, "K": 10, "KB": 10, "M": 20, "MB": 20, "G": 30, "GB": 30}[text[end:]]
	if err != nil || !ok || !(f < 1<<32) {
		return 0, false
	}
	return int64(f * float64(uint64(1)<<shift)), true
}

// readCyberReport reads the table of a CyberRT performance report, one run a
// row. Its latency is a mean like that of cyber_benchmark.
//
//	scope,scenario,message_size,frequency_hz,cpu_percent,latency_us,loss_percent,memory
func readCyberReport(text []byte, _ foreign.Options) ([]*foreign.Draft, error) {
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = -1
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	names := make([]string, 0, 16)
	for _, name := range header[:min(len(header), 16)] {
		names = append(names, strings.TrimSpace(name))
	}
	var drafts []*foreign.Draft
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read report: %w", err)
		}
		if len(drafts) > 64+len(text)/64 {
			return nil, foreign.ErrSize
		}
		d := foreign.NewDraft("transport", "cyberrt-report", len(text))
		d.Set(results.ConfigTransport, "cyberrt")
		s := d.Series(results.Labels{"transport": "cyberrt", "what": "service"})
		for i, name := range names[:min(len(names), len(row))] {
			if err := reportCell(d, s, name, strings.TrimSpace(row[i][:min(len(row[i]), 200)])); err != nil {
				return nil, err
			}
		}
		drafts = append(drafts, d)
	}
	return drafts, nil
}

// reportCell takes one cell of a report.
func reportCell(d *foreign.Draft, s *foreign.Series, name, value string) error {
	switch name {
	case "scope", "scenario":
		d.Set(name, strings.Clone(value))
		if name == "scope" && value != "" {
			s.Labels[name] = strings.Clone(value)
		}
	case "message_size":
		if size, ok := byteSize(value); ok {
			d.Set(results.ConfigSize, size)
			s.Labels["size"] = strings.Clone(value)
		}
	case "frequency_hz":
		if n, err := foreign.ParseCount([]byte(value)); err == nil {
			d.Set(results.ConfigRate, n)
			s.Labels["rate"] = strconv.FormatInt(n, 10)
		}
	case "cpu_percent", "loss_percent":
		put(d, name, value)
	case "memory":
		reportMemory(d, value)
	case "latency_us":
		if value == "" || value == "?" {
			return nil
		}
		ns, err := foreign.ParseTimeF([]byte(value), time.Microsecond)
		if err != nil {
			return fmt.Errorf("read report: %w", err)
		}
		s.Mean(ns)
	}
	return nil
}

// reportMemory takes "250MB" or "250M + 1024M arena shared memory".
func reportMemory(d *foreign.Draft, value string) {
	d.Set("memory", strings.Clone(value))
	total := int64(0)
	for part := range strings.SplitSeq(value, "+") {
		size, _, _ := strings.Cut(strings.TrimSpace(part), " ")
		n, ok := byteSize(size)
		if !ok {
			return
		}
		total += n
	}
	d.After["memory_bytes"] = float64(total)
}
