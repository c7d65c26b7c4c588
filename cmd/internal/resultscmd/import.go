package resultscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
	"worstcase/results"
	"worstcase/results/foreign"
	"worstcase/results/importer"
)

// An importing is the import subcommand's options.
type importing struct {
	logOutput
	list bool
	unit string
	how  importer.Options
}

func importCommand() subcommand {
	return subcommand{
		name: "import", args: "FILE…",
		about: "turn other tools' outputs into a run log",
		flags: func(fs *pflag.FlagSet) func(context.Context, *cli.Env, []string) error {
			var im importing
			im.register(fs)
			fs.StringVar(&im.how.Format, "format", "", "read as `NAME` in place of what the content tells")
			fs.StringVar(&im.unit, "unit", "", "`UNIT` of latencies (ns, us, ms) where a file can't tell")
			fs.DurationVar(&im.how.Cell, "cell", 0, "width of a histogram's cells, such as 2us, where a file can't tell (latency -B)")
			fs.StringVar(&im.how.Label, "label", "", "name the runs `TEXT` where a file doesn't")
			fs.StringVar(&im.how.Machine, "machine", "", "what they ran on, `TEXT`, where a file doesn't tell")
			fs.BoolVar(&im.list, "list", false, "list the formats")
			return im.run
		},
		help: `
FILE is what another tool printed or saved, a result folder of jitterdebugger,
or - for standard input. What a file doesn't tell stays unknown, printed as ?.

Examples:
  results import latency.txt cyclictest.txt -o old.run
  results import report.csv --label "CyberRT 10.0" --machine "Orin, published" -o published.run
` + statuses,
	}
}

func (im *importing) run(_ context.Context, env *cli.Env, args []string) (err error) {
	if im.list {
		return listFormats(env.Stdout)
	}
	if im.unit != "" {
		if im.how.Unit, err = foreign.ParseUnit(im.unit); err != nil {
			return cli.Usagef("--unit: %w", err)
		}
	}
	if im.how.Cell < 0 || im.how.Cell > time.Second {
		return cli.Usagef("--cell %v: a cell is at most 1s wide", im.how.Cell)
	}
	if name := im.how.Format; name != "" && !slices.ContainsFunc(importer.Formats(), func(f importer.Format) bool { return f.Name == name }) {
		return cli.Usagef("--format %q: results import --list tells the formats", name)
	}
	if len(args) == 0 {
		return cli.Usage(errors.New("no files: name what another tool wrote, or - for standard input"))
	}
	var runs []*results.Run
	for _, path := range args {
		list, err := im.read(env, path)
		if err != nil {
			return err
		}
		runs = append(runs, list...)
	}
	return im.write(env, runs...)
}

func listFormats(w io.Writer) error {
	for _, f := range importer.Formats() {
		if _, err := fmt.Fprintf(w, "%-18s %s\n", f.Name, f.About); err != nil {
			return err
		}
	}
	return nil
}

// read reads one file, or the results.json of a folder.
func (im *importing) read(env *cli.Env, path string) ([]*results.Run, error) {
	if path == "-" {
		return importFrom(env, env.Stdin, "standard input", im.how)
	}
	folder := path
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, "results.json")
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) && path != folder {
		return nil, remedy.Hint(fmt.Errorf("import %s: a folder without results.json", folder), "only jitterdebugger's result folders are imported: name the files in this one")
	}
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	defer f.Close()
	return importFrom(env, f, path, im.how)
}

// importFrom reads the runs in r, says what is to be known of them, and gives
// errors their hints.
func importFrom(env *cli.Env, r io.Reader, source string, how importer.Options) ([]*results.Run, error) {
	how.File = source
	runs, err := importer.ReadFrom(r, how)
	if err != nil {
		err = fmt.Errorf("%s: %w", source, err)
	}
	switch {
	case errors.Is(err, foreign.ErrUnit):
		return nil, remedy.Hint(err, "say it: results import --unit us, or --unit ns")
	case errors.Is(err, importer.ErrFormat):
		return nil, remedy.Hint(err, "results import --list tells the formats, --format NAME forces one")
	case errors.Is(err, importer.ErrLarge):
		return nil, remedy.Hint(err, "cut it: head -c 1G FILE | results import -")
	case errors.Is(err, importer.ErrRunLog):
		return nil, remedy.Hint(err, "the other commands of results read it as it is")
	case err != nil:
		return nil, err
	}
	for _, r := range runs {
		from := source
		if len(runs) > 1 {
			from += ": " + r.Label
		}
		for _, w := range r.End.Warnings {
			env.Warn(from + ": " + w)
		}
	}
	return runs, nil
}
