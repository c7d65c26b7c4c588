package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"worstcase/results"
	"worstcase/results/compare"
	"worstcase/results/plot"
	"worstcase/results/render"
)

// WriteJSON writes what the page holds as one document: the runs as `results show
// --json` has them, the comparisons as `results compare --json`, and the charts
// as `results plot --json`.
func WriteJSON(w io.Writer, p Page) error {
	d := struct {
		Title       string                `json:"title"`
		Runs        []results.Document    `json:"runs"`
		Comparisons []*compare.Comparison `json:"comparisons"`
		Charts      []plot.Chart          `json:"charts"`
	}{Title: p.title(), Runs: []results.Document{}, Comparisons: p.Comparisons, Charts: p.charts()}
	for _, r := range p.Runs {
		d.Runs = append(d.Runs, r.Document())
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(d)
}

// WriteMarkdown writes the page's words and tables, without its plots.
func WriteMarkdown(w io.Writer, p Page) error {
	v := p.view()
	var b bytes.Buffer
	text := func(format string, words ...string) {
		for i := range words {
			words[i] = render.Escape(words[i])
		}
		args := make([]any, len(words))
		for i, word := range words {
			args[i] = word
		}
		fmt.Fprintf(&b, format, args...)
	}
	var failed error
	write := func(t table) {
		if err := t.markdown(&b); err != nil && failed == nil {
			failed = err
		}
		b.WriteByte('\n')
	}
	text("# %s\n\n%s\n", v.Title, v.Subtitle)
	for _, c := range v.Comparisons {
		text("\n## %s\n\n", c.Heading)
		for _, reason := range c.Void {
			text("**void: %s**\n\n", reason)
		}
		text("**%s**\n\n", c.Verdict)
		for _, n := range c.Notes {
			text("- %s\n", n)
		}
		b.WriteByte('\n')
		write(c.Table)
	}
	b.WriteString("\n## Verdicts of the runs\n\n")
	for _, r := range v.Verdicts {
		text("- **%s** %s: %s\n", r.Word, r.Name, r.Text)
	}
	for _, warning := range v.Warnings {
		text("- warning: %s\n", warning)
	}
	for _, t := range append(v.Figures, v.Rest...) {
		text("\n## %s\n\n", t.Title)
		if t.Few != "" {
			t.Note += "; in italics: " + t.Few
		}
		if t.Note != "" {
			text("%s\n\n", t.Note)
		}
		write(t)
	}
	b.WriteString("\n## Machines and configurations\n")
	for _, d := range v.Details {
		text("\n### %s\n\n", d.Name)
		write(d.Table)
	}
	if failed != nil {
		return failed
	}
	_, err := w.Write(append(bytes.TrimRight(b.Bytes(), "\n"), '\n'))
	return err
}

// mostWide is how many letters of a value a table in Markdown shows: it pads
// all of a column to the longest.
const mostWide = 120

// markdown writes the table without its title.
func (t *table) markdown(w io.Writer) error {
	var out render.Table
	for _, h := range t.Head {
		out.Columns = append(out.Columns, render.Column{Title: h.Name, Unit: h.Unit, Left: h.Text})
	}
	for _, row := range t.Rows {
		cells := make([]render.Cell, len(row))
		for i := range row {
			words := row[i].Text
			if letters := []rune(words); len(letters) > mostWide {
				words = string(letters[:mostWide-1]) + "…"
			}
			if row[i].Class == "few" && words != "?" {
				words = "*" + words + "*"
			}
			cells[i] = render.Text(words)
		}
		out.Add(cells...)
	}
	return out.Markdown(w)
}
