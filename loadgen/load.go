package loadgen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A Load is a load that can be started once. Its methods are for one goroutine.
type Load struct {
	config Config
	host   machine
	plan   plan

	lanes   *lanes
	gauges  []*gauge
	since   time.Time
	cmd     *exec.Cmd
	control *os.File
	reports chan report
	ended   chan struct{} // closed when the supervisor has ended
	notes   []string
	// stopping is set before the supervisor is told to end.
	stopping atomic.Bool

	mu     sync.Mutex
	failed error
}

// New returns a load that is not started yet.
func New(c Config) *Load { return &Load{config: c, host: machine{root: "/"}} }

// Name is what tables call the load, such as xenomai or fork,cache.
func (l *Load) Name() string { return l.config.name() }

// Start removes what killed loads of earlier have left, starts the load, and
// returns when it runs at full strength. A Config that would hurt the machine is
// refused; what this machine can't do is a remedy.ErrUnavailable. Whatever the
// error, nothing is left running.
func (l *Load) Start(ctx context.Context) error {
	if err := recoverAll(l.host); err != nil {
		return err
	}
	var err error
	if l.config, err = l.config.complete(l.host); err != nil {
		return err
	}
	l.since = time.Now()
	if l.config.idle() {
		return nil
	}
	l.plan = newPlan(l.config)
	if l.lanes, err = openLanes(nil, l.plan.Lanes); err != nil {
		return err
	}
	if err := l.startSupervisor(); err != nil {
		l.lanes.close()
		return err
	}
	if err := l.awaitReady(ctx); err != nil {
		return errors.Join(err, l.end())
	}
	l.gauges = l.plan.gauges(l.lanes)
	l.Rates() // from here on
	return nil
}

// startSupervisor starts the process and hands it the plan.
func (l *Load) startSupervisor() error {
	control, controlWrite, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer control.Close()
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		controlWrite.Close()
		return fmt.Errorf("make a pipe: %w", err)
	}
	defer reportWrite.Close()
	l.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{os.Args[0], markSupervisor}, Stderr: os.Stderr,
		ExtraFiles: []*os.File{control, reportWrite, l.lanes.file},
		// A session of its own: Ctrl-C is for the tool, which then stops the load.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	err = l.cmd.Start()
	if err == nil {
		err = json.NewEncoder(controlWrite).Encode(l.plan)
	}
	if err != nil {
		controlWrite.Close()
		reportRead.Close()
		return fmt.Errorf("start the load's supervisor: %w", err)
	}
	l.control, l.reports, l.ended = controlWrite, make(chan report, 1), make(chan struct{})
	go l.listen(reportRead)
	return nil
}

// listen takes the supervisor's reports until it ends, which is an error unless
// it was told to.
func (l *Load) listen(r io.ReadCloser) {
	defer close(l.ended)
	defer r.Close()
	ready := false
	for d := json.NewDecoder(r); ; {
		var rep report
		if err := d.Decode(&rep); err != nil {
			break
		}
		if ready {
			l.fail(rep.err())
			continue
		}
		l.reports <- rep
		ready = true
	}
	switch err := l.cmd.Wait(); {
	case err != nil:
		l.fail(fmt.Errorf("the load's supervisor ended: %w", err))
	case ready && !l.stopping.Load():
		l.fail(errors.New("the load's supervisor ended: somebody asked it to"))
	}
	if !ready {
		l.reports <- report{Error: "the load's supervisor ended before the load ran"}
	}
}

func (l *Load) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = err
	}
}

// Err is what has gone wrong with the running load so far: a worker that died,
// or the supervisor. It may be called from any goroutine.
func (l *Load) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

func (l *Load) awaitReady(ctx context.Context) error {
	select {
	case r := <-l.reports:
		l.notes = r.Notes
		return r.err()
	case <-ctx.Done():
		return fmt.Errorf("start the load: %w", ctx.Err())
	}
}

// Notes are what the user should know of a started load, such as that it is in
// no cgroup.
func (l *Load) Notes() []string { return l.notes }

// A Rate is the achieved speed of one kind, such as 812 fork/s.
type Rate struct {
	Rate float64
	Unit string
}

// Rates are what each kind, or part of one, achieved per second since the last
// call, or since Start returned.
func (l *Load) Rates() map[string]Rate {
	now := time.Now()
	seconds := now.Sub(l.since).Seconds()
	l.since = now
	rates := map[string]Rate{}
	for _, g := range l.gauges {
		if n := g.advance(); seconds > 0 {
			rates[g.label] = Rate{Rate: n / seconds, Unit: g.unit}
		}
	}
	return rates
}

// Supervisor returns the process id of the supervisor, 0 when there is none.
func (l *Load) Supervisor() int {
	if l.cmd == nil || l.cmd.Process == nil {
		return 0
	}
	return l.cmd.Process.Pid
}

// Stop ends the load, removes every trace of it, and returns what had gone
// wrong while it ran. Further calls do nothing.
func (l *Load) Stop() error {
	if l.control == nil {
		return nil
	}
	broken := l.Err()
	return errors.Join(broken, l.end())
}

// endTimeout is how long a supervisor may take to clean up.
const endTimeout = 10 * time.Second

// end tells the supervisor to clean up, waits for it, and does its work when it
// can't.
func (l *Load) end() error {
	l.stopping.Store(true)
	l.control.Close()
	l.control = nil
	select {
	case <-l.ended:
	case <-time.After(endTimeout):
		l.cmd.Process.Kill()
		<-l.ended
	}
	l.gauges = nil
	l.lanes.close()
	return recoverAll(l.host)
}
