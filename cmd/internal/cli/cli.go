// Package cli is what the commands of worstcase share: exit statuses, errors
// with hints, signals, and the flags that mean the same everywhere.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"worstcase/internal/remedy"
	"worstcase/results"
)

// The exit statuses, the same for every command.
const (
	StatusGood        = 0
	StatusFailed      = 1 // failed to measure
	StatusUsage       = 2
	StatusNo          = 3 // a gate, a break or a comparison says no
	StatusUnavailable = 4 // not supported or not permitted here
	StatusContradicts = 5 // the figures contradict themselves
)

// An Env is all that a command touches of its process.
type Env struct {
	// Name of the command, as errors begin with it.
	Name   string
	Args   []string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Report receives a value for each SIGUSR1.
	Report <-chan struct{}
}

// Warn prints a line that the user must know on standard error.
func (e *Env) Warn(text string) { fmt.Fprintf(e.Stderr, "%s: %s\n", e.Name, text) }

// Terminal tells whether w is a terminal.
func Terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Run runs a command in the process's own environment and exits. INT, TERM and
// HUP end the context: an ordinary end of a measurement. SIGPIPE only makes
// writes fail, since whatever was changed on the machine must be put back.
func Run(name string, command func(ctx context.Context, env *Env) error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	signal.Ignore(syscall.SIGPIPE)
	env := &Env{Name: name, Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Report: reports()}
	os.Exit(Finish(env, command(ctx, env)))
}

// reports passes SIGUSR1 on.
func reports() <-chan struct{} {
	signals, reports := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGUSR1)
	go func() {
		for range signals {
			reports <- struct{}{}
		}
	}()
	return reports
}

// A statusError is an error with an exit status of its own.
type statusError struct {
	error
	status int
}

func (s *statusError) Unwrap() error { return s.error }

// Usage marks an error of the command line: status 2.
func Usage(err error) error { return &statusError{err, StatusUsage} }

// Usagef is Usage of a formatted error.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// No says that a gate or a comparison says no: status 3. Its text, if any, is
// printed as an error's.
func No(text string) error { return &statusError{errors.New(text), StatusNo} }

// Verdict is nil for a run that passed; else an error with the status of
// its verdict and no text: the run has been printed.
func Verdict(v results.Verdict) error {
	if status := v.Status(); status != StatusGood {
		return &statusError{errors.New(""), status}
	}
	return nil
}

// Status is the exit status for an error of a command. When several apply, the
// order is 1, 5, 3; a usage error and what is unavailable come alone.
func Status(err error) int {
	if err == nil {
		return StatusGood
	}
	var s *statusError
	switch {
	case errors.As(err, &s):
		return s.status
	case errors.Is(err, remedy.ErrUnavailable):
		return StatusUnavailable
	case errors.Is(err, syscall.EPIPE):
		return StatusGood
	}
	return StatusFailed
}

// Finish prints the error, with its remedy, and returns the exit status.
func Finish(env *Env, err error) int {
	status := Status(err)
	if err == nil || status == StatusGood || err.Error() == "" {
		return status
	}
	told := map[string]bool{} // a full disk fails writing, and closing again
	text := strings.ReplaceAll(err.Error(), context.Canceled.Error(), "interrupted")
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !told[line] {
			told[line] = true
			env.Warn(line)
		}
	}
	if hint := remedy.Of(err); hint != "" {
		fmt.Fprintf(env.Stderr, "hint: %s\n", hint)
	} else if status == StatusUsage {
		fmt.Fprintf(env.Stderr, "hint: %s --help tells the options\n", env.Name)
	}
	return status
}
