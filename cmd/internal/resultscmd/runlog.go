package resultscmd

import (
	"errors"

	"github.com/spf13/pflag"

	"worstcase/cmd/internal/cli"
	"worstcase/results"
)

// A logOutput is where a subcommand writes a run log, and whether it shows what
// is in it, in place of the log on standard output.
type logOutput struct {
	output
	path   string
	extend bool
}

func (o *logOutput) register(fs *pflag.FlagSet) {
	fs.StringVarP(&o.path, "output", "o", "-", "write the run log to `FILE`, which must not exist; - is standard output")
	fs.BoolVar(&o.extend, "append", false, "add to a log that exists")
	fs.BoolVar(&o.json, "json", false, "show the runs in JSON, and write the log to FILE only")
	fs.BoolVar(&o.markdown, "markdown", false, "show the runs in Markdown, and write the log to FILE only")
}

// write writes the runs, one after the other.
func (o *logOutput) write(env *cli.Env, runs ...*results.Run) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	if o.json || o.markdown {
		s := showing{output: o.output}
		if err := s.answer(env.Stdout, runs); err != nil || o.path == "-" {
			return err
		}
	}
	log := results.NewWriter(env.Stdout)
	if o.path != "-" {
		if log, err = cli.CreateLog(o.path, o.extend); err != nil {
			return err
		}
	}
	for _, r := range runs {
		if err = r.Replay(log); err != nil {
			break
		}
	}
	return errors.Join(err, log.Close())
}
