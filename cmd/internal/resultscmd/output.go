package resultscmd

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/results/render"
)

// An output is the form in which a subcommand answers.
type output struct {
	json, markdown bool
}

func (o *output) register(fs *pflag.FlagSet) {
	fs.BoolVar(&o.json, "json", false, "answer in JSON")
	fs.BoolVar(&o.markdown, "markdown", false, "answer in Markdown")
}

func (o *output) check() error {
	if o.json && o.markdown {
		return cli.Usage(errors.New("--json and --markdown exclude each other"))
	}
	return nil
}

// table writes t in the form asked for, which isn't JSON. Of a table without
// rows only the notes are left.
func (o *output) table(w io.Writer, t *render.Table) error {
	if len(t.Rows) == 0 {
		end := "\n"
		if o.markdown {
			end = "  \n"
		}
		_, err := io.WriteString(w, strings.Join(t.Notes, end)+end)
		return err
	}
	if o.markdown {
		return t.Markdown(w)
	}
	return t.Text(w)
}

// writeJSON writes v with a newline, in one write.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// dropEmpty takes out the columns in which no row has anything.
func dropEmpty(t *render.Table) {
	for i := len(t.Columns) - 1; i >= 0; i-- {
		if slices.ContainsFunc(t.Rows, func(row []render.Cell) bool { return !row[i].Empty() }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, i, i+1)
		for k := range t.Rows {
			t.Rows[k] = slices.Delete(t.Rows[k], i, i+1)
		}
	}
}
