package render

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Text writes the table for a terminal: columns two spaces apart, a line under
// the headings, no line ends in a space.
func (t *Table) Text(w io.Writer) error {
	head, rows := t.strings()
	blank := tw.NewSymbolCustom("columns").WithRow("-").WithColumn("  ").WithCenter("  ")
	r := renderer.NewBlueprint(tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: blank,
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.On, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowHeaderLine: tw.On},
		},
	})
	return t.write(w, "%s\n\n", "%s\n", head, rows, r, tw.Padding{Overwrite: true})
}

// Markdown writes the table as GitHub and others read it, its words escaped.
func (t *Table) Markdown(w io.Writer) error {
	head, rows := t.strings()
	for i := range head {
		head[i] = Escape(head[i])
	}
	for _, row := range rows {
		for i := range row {
			row[i] = Escape(row[i])
		}
	}
	return t.write(w, "**%s**\n\n", "%s\n\n", head, rows, renderer.NewMarkdown(), tw.Padding{})
}

// Escape writes s so that Markdown shows its bars, and what looks like a tag, as
// they are.
func Escape(s string) string {
	return regexp.MustCompile(`\||<[A-Za-z/!?]`).ReplaceAllString(s, `\$0`)
}

// write puts title, table and notes together and writes them at once.
func (t *Table) write(w io.Writer, title, note string, head []string, rows [][]string, r tw.Renderer, padding tw.Padding) error {
	var out bytes.Buffer
	if t.Title != "" {
		fmt.Fprintf(&out, title, t.Title)
	}
	var body bytes.Buffer
	table := tablewriter.NewTable(&body, tablewriter.WithRenderer(r), tablewriter.WithConfig(t.config(padding)))
	table.Header(head)
	if err := table.Bulk(rows); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	if err := table.Render(); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	for line := range strings.Lines(body.String()) {
		fmt.Fprintln(&out, strings.TrimRight(line, " \n"))
	}
	if len(t.Notes) > 0 {
		fmt.Fprintln(&out)
	}
	for _, n := range t.Notes {
		fmt.Fprintf(&out, note, n)
	}
	_, err := w.Write(append(bytes.TrimRight(out.Bytes(), "\n"), '\n'))
	return err
}

// config takes from tablewriter all that would change a cell: it must not
// rewrite headings, wrap, or trim.
func (t *Table) config(padding tw.Padding) tablewriter.Config {
	aligns := make([]tw.Align, len(t.Columns))
	for i, c := range t.Columns {
		aligns[i] = tw.AlignRight
		if c.Left {
			aligns[i] = tw.AlignLeft
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Padding:    tw.CellPadding{Global: padding},
		Alignment:  tw.CellAlignment{Global: tw.AlignRight, PerColumn: aligns},
	}
	return tablewriter.Config{
		Header:   cell,
		Row:      cell,
		Behavior: tw.Behavior{AutoHide: tw.Off, TrimSpace: tw.Off},
	}
}
