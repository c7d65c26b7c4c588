package loadgen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Search looks for the load that hurts most: every kind, then the pairs of the
// five that hurt most, then everything together, each measured once a round, in
// rounds one after the other, so that a machine that changes in the meantime
// does so for all alike.
type Search struct {
	// Base holds the limits and CPUs of every load.
	Base Config
	// Rounds of measuring; at least 3.
	Rounds int
	// Measure runs the load, or none for the idle Config, beside a running
	// measurement, and returns what to rank by in ns: latency's p99.99.
	Measure func(ctx context.Context, c Config) (float64, error)
	// Progress, when not nil, is called before each measurement with the load's
	// name and the number of the round.
	Progress func(name string, round int)
}

// A Ranked is one load of a Search with what was measured under it.
type Ranked struct {
	Name  string
	Specs []Spec
	// Rounds are the measured values in ns, in order of time, and Median theirs.
	Rounds []float64
	Median float64
	// Tied is set when nothing shows that this load hurts less than the one
	// ranked before it.
	Tied bool
	// Err is why the load could not be measured; such loads are ranked last.
	Err error
}

const (
	leastRounds = 3
	topKinds    = 5
)

// kinds are the idle load, and those of one kind each.
func (s Search) kinds() []Ranked {
	cells := []Ranked{{Name: "idle"}}
	for _, k := range Kinds() {
		if k.Name != priorityName { // its threads run before those of nobody else's load
			cells = append(cells, newRanked(Spec{Kind: k.Name, Count: PerCPU}))
		}
	}
	return cells
}

func (s Search) rounds() int { return max(s.Rounds, leastRounds) }

// Measurements is how many Run makes, fewer where a load can't be measured.
func (s Search) Measurements() int {
	const pairs, everything = topKinds * (topKinds - 1) / 2, 1
	return s.rounds() * (len(s.kinds()) + pairs + everything)
}

// Run measures all loads and returns them, the worst first. The context's end
// is an error.
func (s Search) Run(ctx context.Context) ([]Ranked, error) {
	cells := s.kinds()
	if err := s.measure(ctx, cells); err != nil {
		return nil, err
	}
	all := slices.Clone(cells[1:])
	rank(cells)
	combined := combine(cells, all)
	if err := s.measure(ctx, combined); err != nil {
		return nil, err
	}
	cells = append(cells, combined...)
	rank(cells)
	return cells, nil
}

// combine makes the pairs of the top kinds, and the load of all.
func combine(ranked, all []Ranked) []Ranked {
	top := slices.DeleteFunc(slices.Clone(ranked), func(r Ranked) bool { return len(r.Specs) == 0 || r.Err != nil })
	top = top[:min(topKinds, len(top))]
	var list []Ranked
	for i := range top {
		for j := range i {
			list = append(list, newRanked(top[j].Specs[0], top[i].Specs[0]))
		}
	}
	everything := Ranked{Name: "everything"}
	for _, r := range all {
		if r.Err == nil {
			everything.Specs = append(everything.Specs, Spec{Kind: r.Specs[0].Kind, Count: 1})
		}
	}
	return append(list, everything)
}

func newRanked(specs ...Spec) Ranked {
	var kinds []string
	for _, s := range specs {
		kinds = append(kinds, s.Kind)
	}
	return Ranked{Name: strings.Join(kinds, ","), Specs: specs}
}

// measure measures each cell once a round. A cell that fails is left out of
// the rounds that follow.
func (s Search) measure(ctx context.Context, cells []Ranked) error {
	for round := range s.rounds() {
		for i := range cells {
			r := &cells[i]
			if r.Err != nil {
				continue
			}
			if s.Progress != nil {
				s.Progress(r.Name, round+1)
			}
			c := s.Base
			c.Name, c.Kinds = r.Name, slices.Clone(r.Specs)
			value, err := s.Measure(ctx, c)
			if ctx.Err() != nil {
				return fmt.Errorf("search for the worst load: %w", ctx.Err())
			}
			if err != nil {
				r.Err = err
				continue
			}
			r.Rounds = append(r.Rounds, value)
		}
	}
	var errs []error
	for _, r := range cells {
		if r.Err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("under load %s: %w", r.Name, r.Err))
	}
	return errors.Join(errs...) // nothing could be measured
}

// rank sorts the cells by their medians, the highest first, and marks ties: two
// loads differ when every round of one is above every round of the other, which
// three rounds each do by chance once in twenty times.
func rank(cells []Ranked) {
	for i := range cells {
		cells[i].Median = median(cells[i].Rounds)
	}
	slices.SortStableFunc(cells, func(a, b Ranked) int {
		if (a.Err == nil) != (b.Err == nil) {
			return cmp.Compare(failures(a), failures(b))
		}
		return cmp.Compare(b.Median, a.Median)
	})
	for i := range cells {
		cells[i].Tied = i > 0 && cells[i].Err == nil && slices.Min(cells[i-1].Rounds) <= slices.Max(cells[i].Rounds)
	}
}

func failures(r Ranked) int {
	if r.Err != nil {
		return 1
	}
	return 0
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// AboveIdle returns how many loads hurt more than none in every round.
func AboveIdle(ranked []Ranked) int {
	most := 0.0
	for _, r := range ranked {
		if len(r.Specs) == 0 && r.Err == nil {
			most = slices.Max(r.Rounds)
		}
	}
	n := 0
	for _, r := range ranked {
		if len(r.Specs) > 0 && r.Err == nil && slices.Min(r.Rounds) > most {
			n++
		}
	}
	return n
}

// Worst is the profile of the load that ranks first.
func Worst(ranked []Ranked) (Profile, error) {
	for _, r := range ranked {
		if r.Err != nil || len(r.Specs) == 0 {
			continue
		}
		// Not worst, which is another profile's name: logs tell loads apart by it.
		p := Profile{
			Name:  strings.ReplaceAll(r.Name, ",", "+"),
			About: fmt.Sprintf("the worst load found by search: p99.99 of %.1f us", r.Median/1000),
		}
		for _, s := range r.Specs {
			p.Kinds = append(p.Kinds, s.String())
		}
		return p, nil
	}
	return Profile{}, errors.New("no load could be measured")
}
