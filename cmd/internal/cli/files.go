package cli

import (
	"errors"
	"fmt"
	"os"

	"worstcase/internal/remedy"
	"worstcase/results"
)

// CreateLog creates a run log, or says what to do instead: a usage error.
func CreateLog(path string, extend bool) (*results.Writer, error) {
	log, err := results.Create(path, extend)
	switch {
	case err == nil:
		return log, nil
	case isFolder(path):
		err = remedy.Hint(fmt.Errorf("create run log: %s is a directory", path), "name a file in it")
	case errors.Is(err, os.ErrExist):
		err = remedy.Hint(err, "--append adds the run to it; else name another file")
	case errors.Is(err, results.ErrInUse):
		err = remedy.Hint(err, "wait until that measurement has ended, or name another file")
	case errors.Is(err, results.ErrNotLog):
		err = remedy.Hint(err, "runs are appended to run logs only: name another file")
	default:
		err = elsewhere(err)
	}
	return nil, Usage(err)
}

// elsewhere gives an error of making a file its hint.
func elsewhere(err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return remedy.Hint(err, "make the folder first")
	case errors.Is(err, os.ErrPermission):
		return remedy.Hint(err, "name a file in a folder that you may write to")
	}
	return err
}

// Create creates a file that must not exist yet; one that does is a usage
// error. Devices and pipes are taken as they are: a shell's >(zstd >FILE) is
// one. made tells whether the file is new.
func Create(path string) (f *os.File, made bool, err error) {
	info, err := os.Stat(path)
	made = err != nil || info.Mode().IsRegular() || info.IsDir()
	flags := os.O_WRONLY
	if made {
		flags |= os.O_CREATE | os.O_EXCL
	}
	f, err = os.OpenFile(path, flags, 0o666)
	switch {
	case err == nil:
		return f, made, nil
	case isFolder(path):
		err = remedy.Hint(fmt.Errorf("create %s: it is a directory", path), "name a file in it")
	case errors.Is(err, os.ErrExist):
		err = remedy.Hint(fmt.Errorf("%s exists", path), "name another file, or remove this one first")
	default:
		err = elsewhere(err)
	}
	return nil, false, Usage(err)
}

// WriteFile writes a whole answer to standard output for "-", or else to a file
// as Create makes it. What can't be written in full leaves no file.
func (e *Env) WriteFile(path string, answer []byte) error {
	if path == "-" {
		_, err := e.Stdout.Write(answer)
		return err
	}
	f, made, err := Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(answer)
	if err = errors.Join(err, f.Close()); err != nil && made {
		os.Remove(path)
	}
	return err
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
