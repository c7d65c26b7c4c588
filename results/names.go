package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Names returns what tells each series of a run from the others, in a word or
// a few: its CPU as CPU1, a numbered label as subscriber2, the values of other
// labels as they are, in the order of their keys, but those of a message first.
// Labels that all have alike are left out; a single series needs no name.
func Names(series []SeriesInfo) []string {
	names := make([]string, len(series))
	for i, s := range series {
		own := maps.Clone(s.Labels)
		maps.DeleteFunc(own, func(key, _ string) bool { return shared(series, key) })
		names[i] = own.Words()
	}
	return names
}

// Words writes labels as Names does.
func (l Labels) Words() string {
	keys := slices.Sorted(maps.Keys(l))
	slices.SortStableFunc(keys, func(a, b string) int { return place(a) - place(b) })
	var words []string
	for _, key := range keys {
		words = append(words, word(key, l[key]))
	}
	return strings.Join(words, " ")
}

// Alike returns the labels that all series of a run have with the same values:
// what was measured, such as a transport with its size and rate.
func (r *Run) Alike() Labels {
	totals := r.Totals()
	if len(totals) == 0 {
		return nil
	}
	labels := maps.Clone(totals[0].Labels)
	for _, t := range totals {
		maps.DeleteFunc(labels, func(k, v string) bool { return t.Labels[k] != v })
	}
	return labels
}

// Counted writes a number and what it counts, as in "1 run" and "2 runs".
func Counted[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// place is where a label stands in a name.
func place(key string) int {
	message := []string{"transport", "notifier", "size", "rate"}
	if i := slices.Index(message, key); i >= 0 {
		return i
	}
	return len(message)
}

// shared tells whether all series have the same value of a label.
func shared(series []SeriesInfo, key string) bool {
	return !slices.ContainsFunc(series, func(s SeriesInfo) bool {
		return s.Labels[key] != series[0].Labels[key]
	})
}

// word is one label in a name.
func word(key, value string) string {
	switch {
	case key == "cpu":
		return "CPU" + value
	case key == "rate":
		return value + " Hz"
	case strings.Trim(value, "0123456789") == "":
		return key + value
	}
	return value
}
