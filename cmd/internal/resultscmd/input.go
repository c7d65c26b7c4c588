package resultscmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"worstcase/cmd/internal/cli"
	"worstcase/internal/remedy"
	"worstcase/results"
	"worstcase/results/importer"
)

// read reads the runs of all paths: logs, folders of logs, and standard input
// for "-". What was passed over is said on standard error.
func read(env *cli.Env, keep results.Keep, paths []string) ([]*results.Run, error) {
	if len(paths) == 0 {
		return nil, cli.Usage(errors.New("no runs: name a run log, a folder of them, or - for standard input"))
	}
	var runs []*results.Run
	for _, path := range paths {
		if path == "--" {
			return nil, cli.Usage(errors.New("unexpected --: only compare has two sides"))
		}
		list, err := readPath(env, keep, path)
		if err != nil {
			return nil, err
		}
		runs = append(runs, list...)
	}
	if len(runs) == 0 {
		return nil, remedy.Hint(fmt.Errorf("read %s: no runs there", paths[0]), "measure with -o FILE to write run logs")
	}
	for _, r := range runs {
		for _, w := range r.Warnings {
			env.Warn(r.Source + ": " + w)
		}
	}
	return runs, nil
}

func readPath(env *cli.Env, keep results.Keep, path string) ([]*results.Run, error) {
	if path == "-" {
		return readStream(env, keep, env.Stdin, "standard input")
	}
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) && strings.HasPrefix(path, "-") {
		return nil, cli.Usagef("unexpected %s behind --: options come before the first --", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	if info.IsDir() {
		return readFolder(env, keep, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	defer f.Close()
	return readStream(env, keep, f, path)
}

// mostUnread is how many files that can't be read are named.
const mostUnread = 5

// readFolder reads what can be read in a folder, and says what can't.
func readFolder(env *cli.Env, keep results.Keep, path string) ([]*results.Run, error) {
	runs, err := results.Read(keep, path)
	var unread *results.Unread
	if !errors.As(err, &unread) {
		return runs, err
	}
	for i, err := range unread.Errors {
		if i == mostUnread {
			env.Warn(fmt.Sprintf("passed over: %d more", len(unread.Errors)-i))
			break
		}
		env.Warn("passed over: " + err.Error())
	}
	return runs, nil
}

// mostTorn is what is looked through for the first whole line of a run log.
const mostTorn = 1 << 20

// readStream reads run logs, and outputs of other tools.
func readStream(env *cli.Env, keep results.Keep, r io.Reader, source string) ([]*results.Run, error) {
	b := bufio.NewReaderSize(r, mostTorn)
	head, err := b.Peek(len(begins))
	if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", source, err)
	}
	if len(head) == 0 {
		return nil, fmt.Errorf("read %s: %w: it is empty", source, results.ErrNotLog)
	}
	if string(head) == begins {
		return readLog(keep, b, source)
	}
	head, _ = b.Peek(mostTorn) // an error comes back when it is read
	if bytes.Contains(head, []byte("\n"+begins)) {
		return readLog(keep, b, source)
	}
	runs, err := importFrom(env, b, source, importer.Options{})
	if errors.Is(err, importer.ErrFormat) {
		err = fmt.Errorf("read %s: %w, nor the output of a tool that is known", source, results.ErrNotLog)
		return nil, remedy.Hint(err, "results import --list tells the formats, --format NAME forces one")
	}
	return runs, err
}

// begins is how each line of a run log begins.
const begins = `{"type":`

// readLog reads what has a run log's lines.
func readLog(keep results.Keep, r io.Reader, source string) ([]*results.Run, error) {
	runs, err := results.ReadFrom(keep, r, source)
	if errors.Is(err, results.ErrNotLog) {
		err = fmt.Errorf("%w that can be read: its run line is missing or cut short", err)
	}
	return runs, err
}
