// Package report writes runs as one HTML page: tables, plots that can be
// zoomed, what differs between the machines, and the verdict. The page needs
// nothing but itself: styles, scripts and data are in it, and its own policy
// forbids it to load anything else. The same is to be had in Markdown, without
// the plots, and in JSON.
package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"worstcase/results"
	"worstcase/results/compare"
	"worstcase/results/plot"
)

// A Page is what one report shows.
type Page struct {
	// Title is the page's heading, or empty for one made from the runs.
	Title string
	Runs  []*results.Run
	// Columns are the runs' histograms by time, in the order of Runs, or nil for
	// a page without heat maps.
	Columns []*plot.Columns
	// Comparisons of sets of the runs. Their differences stand above the figures.
	Comparisons []*compare.Comparison
}

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

//go:embed uplot/uPlot.iife.min.js
var uplotJS string

//go:embed uplot/uPlot.min.css
var uplotCSS string

//go:embed uplot/LICENSE
var uplotLicense string

// maxHeatmaps is how many runs get a heat map, each a chart of its own.
const maxHeatmaps = 8

// A view is a page as its template wants it.
type view struct {
	Title, Subtitle string
	UplotCSS, CSS   template.CSS
	License         template.JS
	UplotJS, JS     template.JS
	Verdicts        []verdict
	Comparisons     []comparison
	Warnings        []string
	// Figures stand above the charts, Rest below them.
	Figures, Rest []table
	Charts        []plot.Chart
	Details       []details
}

// Write writes the page in HTML.
func Write(w io.Writer, p Page) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	v := p.view()
	v.Charts = p.charts()
	b := bufio.NewWriter(w)
	if err := t.Execute(b, v); err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write a report: %w", err)
	}
	return nil
}

// view is all of the page but its charts.
func (p *Page) view() view {
	names := plot.RunNames(p.Runs)
	v := view{
		Title: p.title(), Subtitle: p.subtitle(),
		CSS: template.CSS(pageCSS), UplotCSS: template.CSS(uplotCSS),
		License: template.JS("/*\nuPlot\n\n" + uplotLicense + "*/"),
		UplotJS: template.JS(uplotJS), JS: template.JS(pageJS),
		Verdicts: gather(p.Runs, verdicts(p.Runs, names)), Warnings: warnings(p.Runs, names),
		Figures: filled(differences(p.Comparisons), summary(p.Runs, names), cells(p.Runs)),
		Rest:    filled(spikes(p.Runs, names), gates(p.Runs, names), changes(pick(p.Runs, single(p.Runs)), pick(names, single(p.Runs)))),
		Details: gatherDetails(p.Runs, machines(p.Runs, names)),
	}
	for _, c := range p.Comparisons {
		v.Comparisons = append(v.Comparisons, comparisonOf(c))
	}
	return v
}

// filled leaves out the tables without rows.
func filled(tables ...table) []table {
	return slices.DeleteFunc(tables, func(t table) bool { return len(t.Rows) == 0 })
}

// title names the tools and labels of the runs.
func (p *Page) title() string {
	if p.Title != "" {
		return p.Title
	}
	var tools, labels []string
	for _, r := range p.Runs {
		if !slices.Contains(tools, r.Tool) {
			tools = append(tools, r.Tool)
		}
		if !slices.Contains(labels, r.Label) {
			labels = append(labels, r.Label)
		}
	}
	if len(labels) > 4 {
		labels = append(labels[:3], fmt.Sprintf("%d more", len(labels)-3))
	}
	return strings.Join(tools, ", ") + ": " + strings.Join(labels, ", ")
}

// subtitle says how many runs there are and on which machines.
func (p *Page) subtitle() string {
	parts := []string{results.Counted(len(p.Runs), "run")}
	for _, key := range []string{"machine", "board.model", "cpu.model", "hypervisor"} {
		for _, r := range p.Runs {
			if v := r.Host[key]; v != "" && !slices.Contains(parts, v) {
				parts = append(parts, v)
			}
		}
	}
	return strings.Join(parts, " · ")
}

// The least lengths, in seconds, of runs that are shown over time, and as heat
// maps.
const (
	leastTime = 2
	leastHeat = 10
)

// charts are all that the runs can fill, a transport's figures first.
func (p *Page) charts() []plot.Chart {
	var charts []plot.Chart
	for _, label := range []string{"size", "rate"} {
		for _, c := range plot.Over(label, "service", p.Runs...) {
			if len(c.X.Names) > 1 {
				charts = append(charts, c)
			}
		}
	}
	alone := single(p.Runs)
	runs := pick(p.Runs, alone)
	measured := slices.ContainsFunc(runs, func(r *results.Run) bool {
		return slices.ContainsFunc(r.Totals(), func(t results.Total) bool { return t.Histogram != nil })
	})
	if measured {
		charts = append(charts, plot.Histogram(runs...), plot.Percentile(runs...))
	}
	if slices.ContainsFunc(runs, func(r *results.Run) bool { return len(r.Intervals) > 1 && r.Seconds() >= leastTime }) {
		charts = append(charts, plot.Time(runs...))
	}
	if p.Columns != nil {
		n := min(len(runs), maxHeatmaps)
		for i, c := range plot.Heatmap(runs[:n], pick(p.Columns, alone[:n])) {
			if c.Grid.Max() > 0 && runs[i].Seconds() >= leastHeat {
				charts = append(charts, c)
			}
		}
	}
	return charts
}
