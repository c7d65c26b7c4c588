package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Replay puts all records of a run into sink again, in the order of their time:
// so a Writer makes a log of a run that was merged, trimmed or imported.
func (r *Run) Replay(sink Sink) error {
	type dated struct {
		at  int64
		rec Record
	}
	var records []dated
	for i := range r.Intervals {
		records = append(records, dated{r.Intervals[i].At, &r.Intervals[i]})
	}
	for i := range r.Loads {
		records = append(records, dated{r.Loads[i].At, &r.Loads[i]})
	}
	for i := range r.Spikes {
		records = append(records, dated{r.Spikes[i].At, &r.Spikes[i]})
	}
	slices.SortStableFunc(records, func(a, b dated) int { return int(min(max(a.at-b.at, -1), 1)) })
	if err := sink.Put(&r.Header); err != nil {
		return err
	}
	for _, d := range records {
		if err := sink.Put(d.rec); err != nil {
			return err
		}
	}
	if r.End == nil {
		return nil
	}
	return sink.Put(r.End)
}

// Merge makes one run of runs of one configuration, one after the other. Its
// header is that of the first, with those facts of the host that all share; its
// time goes on where the run before ended. What changed on the machine is left
// out, since no sum of it means anything. Gates are those of the first, held
// again. It is an error when tool, configuration, kernel or series differ, and
// when nothing is given. With KeepAll it holds every histogram of the runs.
func Merge(runs ...*Run) (*Run, error) {
	if len(runs) == 0 {
		return nil, errors.New("merge runs: there is none")
	}
	for _, r := range runs[1:] {
		if err := alike(runs[0], r); err != nil {
			return nil, fmt.Errorf("merge runs: %w", err)
		}
	}
	header := runs[0].Header
	header.Host, header.Config, header.Series = maps.Clone(header.Host), lasting(header.Config), threadless(header.Series)
	merged := &Run{Keep: runs[0].Keep}
	end := &End{Reason: runs[0].reason(), Verdict: Worst(verdicts(runs)...)}
	offset := int64(0)
	for i, r := range runs {
		maps.DeleteFunc(header.Host, func(key, value string) bool { return r.Host[key] != value })
		merged.append(r, offset)
		for _, t := range r.Totals() {
			t.MaxAt += offset
			total(&end.Series, t.ID).add(&t)
		}
		end.Seconds += r.Seconds()
		offset += int64(r.Seconds() * 1e9)
		end.Warnings = append(end.Warnings, numbered(i+1, r)...)
	}
	merged.finish(header, end, runs[0].End)
	return merged, nil
}

// add is Tally.Add that takes the labels too.
func (t *Total) add(o *Total) {
	t.Labels = o.Labels
	t.Add(&o.Tally)
}

// numbered are the warnings of the nth run of several.
func numbered(n int, r *Run) []string {
	list := slices.Clone(r.Warnings)
	if r.End != nil {
		list = append(slices.Clone(r.End.Warnings), list...)
		if r.End.Error != "" {
			list = append(list, r.End.Error)
		}
	} else {
		list = append(list, "cut short")
	}
	for i := range list {
		list[i] = fmt.Sprintf("run %d: %s", n, list[i])
	}
	return list
}

// alike says why two runs can't be merged.
func alike(a, b *Run) error {
	seriesA, _ := json.Marshal(threadless(a.Series)) // numbers and strings have no errors
	seriesB, _ := json.Marshal(threadless(b.Series))
	for _, d := range []struct{ what, a, b string }{
		{"tool", a.Tool, b.Tool},
		{"series", string(seriesA), string(seriesB)},
		{"kernel", a.Host["kernel.release"] + " " + a.Host["kernel.version"], b.Host["kernel.release"] + " " + b.Host["kernel.version"]},
	} {
		if d.a != d.b {
			return fmt.Errorf("the %s differs: %s in %s, %s in %s", d.what, d.a, a.name(), d.b, b.name())
		}
	}
	configA, configB := lasting(a.Config), lasting(b.Config)
	all := maps.Clone(configA)
	maps.Copy(all, configB)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if textA, textB := setting(configA, key), setting(configB, key); textA != textB {
			return fmt.Errorf("the configuration differs: %s is %s in %s, %s in %s", key, textA, a.name(), textB, b.name())
		}
	}
	return nil
}

func setting(config map[string]any, key string) string {
	if v, set := config[key]; set {
		return ConfigString(v)
	}
	return "not set"
}

// lasting is a configuration without the length of the run, and without the
// command line, of which only an imported file's tells more than the rest.
func lasting(config map[string]any) map[string]any {
	config = maps.Clone(config)
	delete(config, ConfigDuration)
	if config["imported"] == nil {
		delete(config, ConfigCommand)
	}
	return config
}

// threadless are series without the threads that measured them.
func threadless(series []SeriesInfo) []SeriesInfo {
	series = slices.Clone(series)
	for i := range series {
		series[i].Thread = 0
	}
	return series
}

// name is how errors call a run.
func (r *Run) name() string {
	if r.Source != "" {
		return r.Source
	}
	return "the run of " + r.Started.Format(time.DateTime)
}

func (r *Run) reason() string {
	if r.End == nil {
		return "cut short"
	}
	return r.End.Reason
}

func verdicts(runs []*Run) (list []Verdict) {
	for _, r := range runs {
		if r.End == nil {
			list = append(list, VerdictError)
		} else {
			list = append(list, r.End.Verdict)
		}
	}
	return list
}

// append takes everything of o but its totals, later by offset ns.
func (r *Run) append(o *Run, offset int64) {
	for _, iv := range o.Intervals {
		iv.At += offset
		if !iv.Empty() {
			iv.MaxAt += offset
		}
		r.keep(&iv)
	}
	for _, l := range o.Loads {
		l.At += offset
		r.Loads = append(r.Loads, l)
	}
	for _, s := range o.Spikes {
		s.At += offset
		r.Spikes = append(r.Spikes, s)
	}
}

// finish closes a run that was put together, and holds the gates of old, if
// any, again.
func (r *Run) finish(header Header, end *End, old *End) {
	if old != nil && len(old.Gates) > 0 {
		for _, g := range old.Gates {
			if i := slices.IndexFunc(end.Series, func(t Total) bool { return t.ID == g.Series }); i >= 0 {
				end.Gates = append(end.Gates, g.held(&end.Series[i].Tally))
			}
		}
		if end.Verdict == Pass || end.Verdict == Fail {
			end.Verdict = Judge(end, 0, false)
		}
	}
	r.started, r.Header, r.End = true, header, end
}

// Trim returns a run without its first seconds; cut is rounded up to whole
// ones. Times count from the cut, and gates are held again. What changed on the
// machine stays that of the whole run, with a warning. It is an error when
// nothing is left, and when the run keeps no intervals; percentiles are known
// only when it keeps all. It shares the memory of r.
func Trim(r *Run, cut time.Duration) (*Run, error) {
	if r.Keep == KeepTotals || len(r.Intervals) == 0 {
		return nil, fmt.Errorf("trim %s: it has no intervals", r.name())
	}
	if whole := cut.Truncate(time.Second); whole < cut {
		cut = whole + time.Second
	}
	header := r.Header
	header.T0 += int64(cut)
	header.Started = header.Started.Add(cut)
	late := &Run{}
	for _, iv := range r.Intervals {
		if iv.At > int64(cut) {
			late.Intervals = append(late.Intervals, iv)
		}
	}
	if len(late.Intervals) == 0 {
		return nil, fmt.Errorf("trim %s: it is not longer than %s", r.name(), cut)
	}
	late.Loads = slices.DeleteFunc(slices.Clone(r.Loads), func(l Load) bool { return l.At <= int64(cut) })
	late.Spikes = slices.DeleteFunc(slices.Clone(r.Spikes), func(s Spike) bool { return s.At < int64(cut) })

	trimmed := &Run{Source: r.Source, Keep: r.Keep, Warnings: slices.Clone(r.Warnings), incomplete: r.incomplete}
	trimmed.append(late, -int64(cut))
	end := &End{Reason: r.reason(), Seconds: r.Seconds() - cut.Seconds(), Verdict: verdicts([]*Run{r})[0]}
	for _, t := range r.Totals() {
		end.Series = append(end.Series, Total{SeriesInfo: t.SeriesInfo})
	}
	for i := range trimmed.Intervals {
		total(&end.Series, trimmed.Intervals[i].Series).Add(&trimmed.Intervals[i].Tally)
	}
	if r.End != nil {
		end.After, end.Error = r.End.After, r.End.Error
		end.Warnings = slices.Clone(r.End.Warnings)
	}
	end.Warnings = append(end.Warnings, fmt.Sprintf("the first %s were cut off; what changed on the machine is that of the whole run", cut))
	trimmed.finish(header, end, r.End)
	return trimmed, nil
}
