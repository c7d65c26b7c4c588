package resultscmd

import (
	"fmt"
	"slices"
	"strings"

	"worstcase/results"
	"worstcase/results/compare"
)

// marks point from the labels of runs at notes below a table.
type marks struct {
	of    map[*results.Run]string
	notes []string
}

// mostNoted facts are listed in a note.
const mostNoted = 12

// footnotes marks the runs whose kernel was configured, started or loaded with
// modules otherwise than the first run's. Runs that differ in the same way share
// a mark. The notes that an imported table had come first, with its own mark.
func footnotes(runs []*results.Run) marks {
	m := marks{of: map[*results.Run]string{}}
	var texts []string
	for _, r := range runs {
		text := r.ConfigText("note")
		if text == "" {
			text = differs(runs[0], r)
		}
		if text == "" {
			continue
		}
		i := slices.Index(texts, text)
		if i < 0 {
			i = len(texts)
			texts = append(texts, text)
			m.notes = append(m.notes, mark(i)+" "+text)
		}
		m.of[r] = mark(i)
	}
	return m
}

// mark is (*), (**), and so on.
func mark(i int) string { return "(" + strings.Repeat("*", i+1) + ")" }

// differs says in words what the kernel of r has otherwise than that of base.
func differs(base, r *results.Run) string {
	if base == r || len(base.Host) == 0 || len(r.Host) == 0 {
		return ""
	}
	var parts []string
	for _, d := range compare.Differences([]*results.Run{base}, []*results.Run{r}) {
		switch {
		case strings.HasPrefix(d.Key, "CONFIG_") && d.B == "-":
			parts = append(parts, d.Key+" is not set")
		case strings.HasPrefix(d.Key, "CONFIG_"):
			parts = append(parts, d.Key+"="+d.B)
		case d.Key == "kernel.cmdline":
			parts = append(parts, words(d.A, d.B)...)
		case strings.HasPrefix(d.Key, "modules.") || isSize(d.Key):
			parts = append(parts, fmt.Sprintf("%s %s (%s)", d.Key, d.B, d.A))
		}
	}
	if len(parts) > mostNoted {
		parts = append(parts[:mostNoted], fmt.Sprintf("and %d more (results compare lists all)", len(parts)-mostNoted))
	}
	return strings.Join(parts, "; ")
}

func isSize(key string) bool {
	return slices.Contains([]string{"kernel.text", "kernel.data", "kernel.bss"}, key)
}

// words says which words of a command line came and went.
func words(a, b string) []string {
	before, after := strings.Fields(a), strings.Fields(b)
	var parts []string
	for _, w := range after {
		if !slices.Contains(before, w) && w != "-" {
			parts = append(parts, "started with "+w)
		}
	}
	for _, w := range before {
		if !slices.Contains(after, w) && w != "-" && !strings.HasPrefix(w, "BOOT_IMAGE=") {
			parts = append(parts, "started without "+w)
		}
	}
	return slices.DeleteFunc(parts, func(p string) bool { return strings.Contains(p, "BOOT_IMAGE=") })
}
