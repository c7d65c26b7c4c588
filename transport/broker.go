package transport

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// brokerArgument is the first argument of a broker's process.
const brokerArgument = "transport-broker"

// An Embedded is a Transport whose broker is a library of this program. It runs
// in a process of its own.
type Embedded interface {
	Transport
	// ServeBroker starts the broker and returns its address. It ends with the
	// process.
	ServeBroker(o Options) (url string, err error)
}

// BrokerMain returns at once in an ordinary process. In a broker's it runs the
// broker of one of the transports until its standard input ends, and exits. It
// must be called first in every main and TestMain, as sampler.Main.
func BrokerMain(list []Transport) {
	if len(os.Args) < 3 || os.Args[1] != brokerArgument {
		return
	}
	if err := serveBroker(list, os.Args[2]); err != nil {
		json.NewEncoder(os.Stdout).Encode(brokerReport{Error: err.Error()})
		os.Exit(1)
	}
	os.Exit(0)
}

// A brokerReport is the one line that a broker's process writes.
type brokerReport struct {
	URL   string `json:"url,omitempty"`
	Error string `json:"error,omitempty"`
}

func serveBroker(list []Transport, name string) error {
	tr, _ := Find(list, name)
	e, ok := tr.(Embedded)
	if !ok {
		return fmt.Errorf("this program has no broker %q", name)
	}
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read options: %w", err)
	}
	var o Options
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("read options: %w", err)
	}
	url, err := e.ServeBroker(o)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(brokerReport{URL: url}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, in)
	return err
}

// StartEmbedded starts a process of this program that runs e's broker. The
// process ends with its parent.
func StartEmbedded(e Embedded, o Options) (*Broker, error) {
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], brokerArgument, e.Name()},
		Stderr: os.Stderr, SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b := &Broker{PID: cmd.Process.Pid, Stop: func() error {
		in.Close()
		kill := time.AfterFunc(2*time.Second, func() { cmd.Process.Kill() })
		defer kill.Stop()
		return cmd.Wait()
	}}
	var report brokerReport
	err = json.NewEncoder(in).Encode(o)
	if err == nil {
		err = json.NewDecoder(out).Decode(&report)
	}
	if err == nil && report.Error != "" {
		err = errors.New(report.Error)
	}
	if err != nil {
		b.Stop()
		return nil, err
	}
	b.URL = report.URL
	return b, nil
}
