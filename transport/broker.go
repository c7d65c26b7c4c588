package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// brokerArgument is the first argument of a broker's process.
const brokerArgument = "transport-broker"

// An Embedded is a Transport whose broker is started by a process of this
// program: as a library, or as a program that this process keeps.
type Embedded interface {
	Transport
	// ServeBroker starts the broker. One without a process of its own has no PID,
	// and may have no Stop: it ends with the process it was started in.
	ServeBroker(o Options) (*Broker, error)
}

// BrokerMain returns at once in an ordinary process. In a broker's it runs the
// broker of one of the transports until its standard input ends, and exits. It
// must be called first in every main and TestMain, as sampler.Main.
func BrokerMain(list []Transport) {
	if len(os.Args) < 3 || os.Args[1] != brokerArgument {
		return
	}
	runtime.LockOSThread() // what it starts ends with this thread
	if err := serveBroker(list, os.Args[2]); err != nil {
		json.NewEncoder(os.Stdout).Encode(brokerReport{Error: err.Error()})
		os.Exit(1)
	}
	os.Exit(0)
}

// A brokerReport is the one line that a broker's process writes.
type brokerReport struct {
	URL    string `json:"url,omitempty"`
	PID    int    `json:"pid,omitempty"`
	Folder string `json:"folder,omitempty"`
	Error  string `json:"error,omitempty"`
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
	b, err := e.ServeBroker(o)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.Folder)
	if b.Stop != nil {
		defer b.Stop()
	}
	if err := json.NewEncoder(os.Stdout).Encode(brokerReport{URL: b.URL, PID: b.PID, Folder: b.Folder}); err != nil {
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
	b := &Broker{PID: cmd.Process.Pid}
	b.Stop = func() error {
		in.Close()
		kill := time.AfterFunc(2*time.Second, func() { cmd.Process.Kill() })
		defer kill.Stop()
		defer os.RemoveAll(b.Folder) // where the process was killed, and could not
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("broker of %s: %w", e.Name(), err)
		}
		return nil
	}
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
	b.URL, b.Folder = report.URL, report.Folder
	if report.PID != 0 {
		b.PID = report.PID
	}
	return b, nil
}

// StartProgram starts a broker that is a program of its own, inside a process
// that ServeBroker was called in, and returns when it takes connections at the
// address. It ends with the calling thread. The caller adds the URL.
func StartProgram(cmd *exec.Cmd, network, address string) (*Broker, error) {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	b := &Broker{PID: cmd.Process.Pid, Stop: func() error {
		cmd.Process.Kill()
		<-ended
		return nil
	}}
	for range 500 {
		if c, err := net.Dial(network, address); err == nil {
			c.Close()
			return b, nil
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("%s ended at once: %s", cmd.Path, strings.TrimSpace(output.String()))
		case <-time.After(10 * time.Millisecond):
		}
	}
	b.Stop()
	return nil, fmt.Errorf("%s did not come up within five seconds: %s", cmd.Path, strings.TrimSpace(output.String()))
}
