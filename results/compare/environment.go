package compare

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"worstcase/results"
)

// A Difference is a fact that is not the same on both sides. A side whose runs
// disagree lists all its values, separated by " | ".
type Difference struct {
	Key  string `json:"key"`
	A    string `json:"a"`
	B    string `json:"b"`
	Void bool   `json:"void,omitempty"`
}

// absent stands for a fact that a run doesn't have.
const absent = "-"

// voiding are the facts that make a comparison void when they differ, with what
// to say of it.
func voiding() map[string]string {
	return map[string]string{
		"tool":                               "the tools differ",
		"cpu.model":                          "the CPU models differ",
		"hypervisor":                         "one ran under a hypervisor, or they differ",
		"config." + results.ConfigPeriod:     "the periods differ",
		"config." + results.ConfigMode:       "the instruments differ (mode)",
		"config." + results.ConfigBackend:    "the instruments differ (back-end)",
		"config." + results.ConfigTimer:      "the instruments differ (timer)",
		"config." + results.ConfigNotifier:   "the instruments differ (notifier)",
		"config." + results.ConfigMechanism:  "the instruments differ (mechanism)",
		"config." + results.ConfigMeasure:    "what was measured differs",
		"config." + results.ConfigCase:       "the priorities of waker and waiter differ",
		"config." + results.ConfigSpace:      "one ran between threads, one between processes",
		"config." + results.ConfigThreads:    "the numbers of threads differ",
		"config." + results.ConfigWorkingSet: "the working sets differ",
		"config." + results.ConfigSize:       "the message sizes differ",
		"config." + results.ConfigRate:       "the message rates differ",
		"load":                               "the loads differ",
	}
}

// environment lists what differs between the sides, and what of it makes the
// comparison void.
func (c *Comparison) environment(a, b []*results.Run) {
	c.Differences = Differences(a, b)
	reasons := voiding()
	for _, d := range c.Differences {
		if d.Void {
			c.Void = append(c.Void, fmt.Sprintf("%s: %s, %s", reasons[d.Key], orNone(d.Key, d.A, a), orNone(d.Key, d.B, b)))
		}
	}
	c.Void = append(c.Void, loadRates(a, b)...)
	for _, r := range slices.Concat(a, b) {
		if r.End != nil && r.End.Verdict == results.Contradicts {
			c.Void = append(c.Void, "the figures of "+runName(r)+" contradict themselves")
		}
	}
	for _, r := range slices.Concat(a, b) {
		if r.Truncated() {
			c.Notes = append(c.Notes, runName(r)+" was cut short: it ends without a last line")
		}
	}
}

// orNone is what a side has, in a sentence: no load and no hypervisor, where the
// machine was looked at, are known to be none.
func orNone(key, value string, runs []*results.Run) string {
	if value == absent && hosts(runs) && (key == "load" || key == "hypervisor") {
		return "none"
	}
	return value
}

// Differences returns the facts of host, configuration and load in which the
// runs of a and b differ, those first that make a comparison void. Kernel
// configurations are compared option by option. Nil sides have no facts.
func Differences(a, b []*results.Run) []Difference {
	fa, fb := facts(a), facts(b)
	reasons := voiding()
	var list []Difference
	keys := maps.Clone(fa)
	maps.Copy(keys, fb)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		va, vb := values(fa, key), values(fb, key)
		_, void := reasons[key]
		if key == "hypervisor" || key == "cpu.model" {
			// Absent is unknown, unless the host was looked at.
			void = hosts(a) && hosts(b)
		}
		// A side that mixes instruments can't be compared, even with one that
		// mixes them likewise.
		if va == vb && !(void && len(fa[key]) > 1) {
			continue
		}
		list = append(list, Difference{Key: key, A: va, B: vb, Void: void})
	}
	slices.SortStableFunc(list, func(x, y Difference) int {
		switch {
		case x.Void == y.Void:
			return 0
		case x.Void:
			return -1
		}
		return 1
	})
	return list
}

// hosts says whether the machine of every run was looked at.
func hosts(runs []*results.Run) bool {
	return !slices.ContainsFunc(runs, func(r *results.Run) bool { return len(r.Host) == 0 })
}

func values(facts map[string]map[string]bool, key string) string {
	v := slices.Sorted(maps.Keys(facts[key]))
	if len(v) == 0 {
		return absent
	}
	return strings.Join(v, " | ")
}

// facts are the distinct values of every key over all runs of a side.
func facts(runs []*results.Run) map[string]map[string]bool {
	each := make([]map[string]string, len(runs))
	keys := map[string]bool{}
	for i, r := range runs {
		each[i] = factsOf(r)
		for key := range each[i] {
			keys[key] = true
		}
	}
	all := map[string]map[string]bool{}
	for key := range keys {
		all[key] = map[string]bool{}
		for _, f := range each {
			v, ok := f[key]
			if !ok {
				v = absent
			}
			all[key][v] = true
		}
	}
	return all
}

func factsOf(r *results.Run) map[string]string {
	f := map[string]string{"tool": r.Tool}
	for key, v := range r.Host {
		switch key {
		case "kernel.config":
			for line := range strings.Lines(v) {
				if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
					f[name] = value
				}
			}
		case "kernel.banner": // says again what kernel.version says
		default:
			f[key] = v
		}
	}
	for key, v := range r.Config {
		switch key {
		case results.ConfigDuration: // what was asked for; what was measured counts
		case results.ConfigCommand: // what it asked for stands under its own keys
			if r.ConfigText("imported") != "" {
				f["config."+key] = configText(key, v)
			}
		case results.ConfigLoad:
		default:
			f["config."+key] = configText(key, v)
		}
	}
	if load := loadOf(r); load != "" {
		f["load"] = load
	}
	if totals := r.Totals(); len(totals) == 1 {
		for key, v := range totals[0].Labels {
			f["series."+key] = v
		}
	}
	return f
}

// configText writes a value of a configuration the same whether a tool put it
// there or a log was read.
func configText(key string, v any) string {
	h := results.Header{Config: map[string]any{key: v}}
	n, whole := h.ConfigInt(key)
	switch {
	case whole && strings.HasSuffix(key, "_ns"):
		return strings.ReplaceAll(time.Duration(n).String(), "µ", "u")
	case whole:
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprint(v)
}

// loadOf names the load of a run: by its configuration, else by the kinds of its
// load lines.
func loadOf(r *results.Run) string {
	if name := r.ConfigText(results.ConfigLoad); name != "" {
		return name
	}
	kinds := map[string]bool{}
	for _, l := range r.Loads {
		for kind := range l.Kinds {
			kinds[kind] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(kinds)), ",")
}

// loadRates says which kinds of load ran a fifth faster on one side than on the
// other.
func loadRates(a, b []*results.Run) (void []string) {
	ra, rb := rates(a), rates(b)
	for _, kind := range slices.Sorted(maps.Keys(ra)) {
		x, y := ra[kind], rb[kind]
		if _, both := rb[kind]; both && max(x.Rate, y.Rate) > 1.2*min(x.Rate, y.Rate) {
			void = append(void, fmt.Sprintf("the load %s ran at %.4g %s, %.4g %s", kind, x.Rate, x.Unit, y.Rate, y.Unit))
		}
	}
	return void
}

// rates are the mean rates of every kind of load over all seconds of all runs.
func rates(runs []*results.Run) map[string]results.Rate {
	sums := map[string]results.Rate{}
	n := map[string]float64{}
	for _, r := range runs {
		for _, l := range r.Loads {
			for kind, rate := range l.Kinds {
				sums[kind] = results.Rate{Rate: sums[kind].Rate + rate.Rate, Unit: rate.Unit}
				n[kind]++
			}
		}
	}
	for kind, s := range sums {
		s.Rate /= n[kind]
		sums[kind] = s
	}
	return sums
}

// order says whether drift can be told apart from a difference of the sides. Of
// one run a side that is never so, and said with their intervals.
func (c *Comparison) order(a, b []*results.Run) {
	if len(a) == 1 && len(b) == 1 {
		return
	}
	for _, r := range slices.Concat(a, b) {
		if r.Started.IsZero() {
			c.Notes = append(c.Notes, "when the runs started is unknown: drift can't be told apart from a difference")
			return
		}
	}
	names := c.names()
	started := func(x, y *results.Run) int { return x.Started.Compare(y.Started) }
	switch {
	case slices.MaxFunc(a, started).Started.Before(slices.MinFunc(b, started).Started):
		c.Notes = append(c.Notes, fmt.Sprintf("all runs of %s came before all of %s: drift can't be told apart from a difference; interleave them", names[0], names[1]))
	case slices.MaxFunc(b, started).Started.Before(slices.MinFunc(a, started).Started):
		c.Notes = append(c.Notes, fmt.Sprintf("all runs of %s came before all of %s: drift can't be told apart from a difference; interleave them", names[1], names[0]))
	}
}

func runName(r *results.Run) string {
	if r.Source != "" {
		return r.Source
	}
	return "the run of " + r.Started.Format(time.DateTime)
}

// list joins the first most names.
func list(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
