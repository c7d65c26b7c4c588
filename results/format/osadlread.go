package format

import (
	"math"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
	"worstcase/results/foreign"
)

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
			r.draft.Set(results.ConfigCommand, s.Text())
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
		if ok && n > 0 && class < results.Highest && r.draft.Spend(20) {
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
