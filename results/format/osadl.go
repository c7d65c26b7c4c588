package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

// errNoHistogram is what exports that are histograms fail with.
var errNoHistogram = errors.New("the run has no histogram")

// osadlClasses bounds the latency classes that WriteOSADL writes, one a
// microsecond; higher samples are only in the maxima, as OSADL has it.
const osadlClasses = 10_000

// WriteOSADL writes a run as an OSADL RT Dataset 1.0: latencies in classes of
// 1 us, with a column for each series after that of the classes' numbers.
func WriteOSADL(w io.Writer, r *results.Run) error {
	doc := map[string]any{
		"format":     map[string]string{"name": "RT Dataset", "version": "1.0"},
		"timestamps": osadlTimes(r),
		"system":     map[string]string{"hostname": r.Host["kernel.hostname"]},
		"processor":  osadlProcessor(r.Host),
		"kernel": map[string]any{
			"version": r.Host["kernel.release"],
			"patches": []string{},
			"config":  osadlConfig(r.Host["kernel.config"]),
			"cmdline": r.Host["kernel.cmdline"],
		},
		"condition": osadlCondition(r),
	}
	latency, err := osadlLatency(r.Totals())
	if err != nil {
		return err
	}
	doc["latency"] = latency
	text, err := json.MarshalIndent(doc, "", "    ")
	if err != nil {
		return fmt.Errorf("write OSADL dataset: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

func osadlTimes(r *results.Run) map[string]string {
	end := r.Started.Add(time.Duration(r.Seconds() * 1e9))
	return map[string]string{"origin": r.Started.Format(time.RFC3339), "dataset": end.Format(time.RFC3339)}
}

func osadlProcessor(host results.Facts) map[string]string {
	p := map[string]string{"family": host["kernel.machine"], "vendor": host["cpu.vendor"], "type": host["cpu.model"]}
	if khz, err := strconv.ParseInt(host["cpu.max_khz"], 10, 64); err == nil {
		p["clock"] = strconv.FormatInt(khz/1000, 10)
	}
	return p
}

// osadlConfig are the lines of a kernel configuration.
func osadlConfig(config string) []string {
	lines := []string{}
	for line := range strings.SplitSeq(config, "\n") {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

func osadlCondition(r *results.Run) map[string]any {
	load := r.ConfigText(results.ConfigLoad)
	if load == "" {
		load = "idle"
	}
	c := map[string]any{"load": load, "cyclictest": r.ConfigText("command")}
	cycles := int64(0)
	for _, t := range r.Totals() {
		if !t.Missing.Has(results.NoCount) {
			cycles = max(cycles, t.Samples())
		}
	}
	if cycles > 0 {
		c["cycles"] = cycles
	}
	if ns, ok := r.ConfigInt(results.ConfigPeriod); ok {
		c["interval"] = ns / 1000
	}
	return c
}

func osadlLatency(totals []results.Total) (map[string]any, error) {
	classes := int64(0)
	for i := range totals {
		if totals[i].Histogram == nil {
			return nil, errNoHistogram
		}
		for b := range totals[i].Histogram.All() {
			classes = max(classes, min(b.High/1000+1, osadlClasses))
		}
	}
	numbers := make([]int64, classes)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	cores, maxima := [][]int64{numbers}, []int64{}
	for i := range totals {
		t := &totals[i]
		core := make([]int64, classes)
		for b := range t.Histogram.All() {
			if class := b.High / 1000; class < classes {
				core[class] += b.Count
			}
		}
		cores = append(cores, core)
		if !t.Missing.Has(results.NoMax) {
			maxima = append(maxima, t.Max/1000)
		}
	}
	return map[string]any{"granularity": "microseconds", "maxima": maxima, "cores": cores}, nil
}

// ReadOSADL reads an OSADL RT Dataset 1.0. The first of its cores is the number
// of each class, which is what its own plots take for the axis.
func ReadOSADL(text []byte, o foreign.Options) ([]*foreign.Draft, error) {
	r := &osadl{draft: foreign.NewDraft("cyclictest", "osadl", len(text)), unit: o.Unit}
	s := foreign.NewScanner(text)
	s.Object(func(key []byte) { r.section(s, string(key)) })
	if s.Err() != nil {
		return nil, s.Err()
	}
	if err := r.draft.Err(); err != nil {
		return nil, err
	}
	if len(r.cores) == 0 {
		return nil, foreign.ErrNoFigures
	}
	if r.unit == 0 {
		return nil, foreign.ErrUnit
	}
	r.fill()
	return []*foreign.Draft{r.draft}, nil
}

// An osadl is a dataset while it is read.
type osadl struct {
	draft  *foreign.Draft
	unit   time.Duration
	cycles int64
	maxima []int64 // in units
	cores  []*foreign.List[foreign.Bucket]
	sizes  []int64 // classes of each core, those without samples included
}

// section takes a member of the document.
func (r *osadl) section(s *foreign.Scanner, section string) {
	s.Object(func(key []byte) {
		switch section + "." + string(key) {
		case "timestamps.origin":
			r.draft.Header.Started, _ = time.Parse(time.RFC3339, s.Text())
		case "system.hostname":
			r.draft.Fact("kernel.hostname", s.Text())
		case "processor.vendor":
			r.draft.Fact("cpu.vendor", s.Text())
		case "processor.type":
			r.draft.Fact("cpu.model", s.Text())
		case "kernel.version":
			r.draft.Fact("kernel.release", s.Text())
		case "kernel.cmdline":
			r.draft.Fact("kernel.cmdline", s.Text())
		case "kernel.config":
			r.config(s)
		case "condition.load":
			if load := s.Text(); load != "idle" {
				r.draft.Set(results.ConfigLoad, load)
			}
		case "condition.cyclictest":
			r.draft.Set("command", s.Text())
		case "condition.cycles":
			r.cycles, _ = s.Count()
		case "condition.interval":
			if us, ok := s.Count(); ok && us < results.Highest {
				r.draft.Set(results.ConfigPeriod, us*1000)
			}
		case "latency.granularity":
			if unit, err := foreign.ParseUnit(s.Text()); err == nil {
				r.unit = unit
			}
		case "latency.maxima":
			s.Array(func() {
				if n, ok := s.Count(); ok && r.draft.Spend(32) {
					r.maxima = append(r.maxima, min(n, results.Highest))
				}
			})
		case "latency.cores":
			s.Array(func() { r.core(s) })
		default:
			s.Skip()
		}
	})
}

func (r *osadl) config(s *foreign.Scanner) {
	var config strings.Builder
	s.Array(func() {
		line := s.Text()
		if line != "" && r.draft.Spend(3*len(line)) {
			config.WriteString(line)
			config.WriteByte('\n')
		}
	})
	r.draft.Fact("kernel.config", config.String())
}

func (r *osadl) core(s *foreign.Scanner) {
	core := new(foreign.List[foreign.Bucket])
	class := int64(0)
	if !r.draft.Spend(400) {
		s.Skip()
		return
	}
	s.Array(func() {
		n, ok := s.Count()
		if ok && n > 0 && class < results.Highest && r.draft.Spend(40) {
			core.Append(foreign.Bucket{NS: class, N: n})
		}
		class++
	})
	r.cores = append(r.cores, core)
	r.sizes = append(r.sizes, class)
}

// numbered tells whether the first core is the numbers of the classes.
func (r *osadl) numbered() bool {
	for _, b := range r.cores[0].All() {
		if b.N != b.NS {
			return false
		}
	}
	return len(r.cores) > 1 && int64(r.cores[0].Len()) == max(r.sizes[0]-1, 0)
}

// fill makes a series of each core. Samples above the last class are only in
// the number of cycles, and in the maximum.
func (r *osadl) fill() {
	cores, sizes := r.cores, r.sizes
	if r.numbered() {
		cores, sizes = cores[1:], sizes[1:]
	}
	unit := int64(r.unit)
	for i, core := range cores {
		s := r.draft.Series(results.Labels{"cpu": strconv.Itoa(i)})
		var sum, first int64 = 0, math.MaxInt64
		for _, b := range core.All() {
			s.Bucket(b.NS*unit, b.NS*unit, b.N)
			sum, first = sum+min(b.N, foreign.MaxFigure-min(sum, foreign.MaxFigure)), min(first, b.NS)
		}
		if sum > 0 {
			s.Min(first * unit)
		}
		if i >= len(r.maxima) {
			continue
		}
		s.Max(r.maxima[i] * unit)
		if r.maxima[i] >= sizes[i] {
			s.Above(max(r.cycles-sum, 1))
		}
	}
}
