package loadgen

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
)

// Descriptors of a worker, besides the standard ones.
const (
	workerHold  = 3 // a byte comes once the worker is inside its cgroup
	workerReady = 4 // the worker writes a byte when all its parts run, or what went wrong
	workerLanes = 5
)

// A worker is one process of a kind.
type worker struct {
	job
	kind  Kind
	forks chan func()
}

// runWorker is a worker's life. It returns only errors.
func runWorker(text string) error {
	if err := sys.DieWithParent(); err != nil {
		return fmt.Errorf("ask to die with the supervisor: %w", err)
	}
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return fmt.Errorf("read the worker's job: %w", err)
	}
	rename("load-" + j.Spec.Kind)
	if os.Getppid() != j.Supervisor {
		return fmt.Errorf("the supervisor has ended")
	}
	hold, ready := os.NewFile(workerHold, "hold"), os.NewFile(workerReady, "ready")
	unix.CloseOnExec(workerHold)
	unix.CloseOnExec(workerReady)
	unix.CloseOnExec(workerLanes)
	if n, err := hold.Read(make([]byte, 1)); n != 1 {
		return fmt.Errorf("wait to be put into the cgroup: %w", err)
	}
	err := j.start()
	if err != nil {
		return json.NewEncoder(ready).Encode(reportOf(fmt.Errorf("start %s: %w", j.label(), err)))
	}
	if _, err := ready.Write([]byte{readyByte}); err != nil {
		return err
	}
	ready.Close()
	for { // until SIGKILL; a select without cases would count as a deadlock
		time.Sleep(time.Hour)
	}
}

// rename gives the process a name that tells in ps what it does: they are all
// the same binary. Nothing depends on it.
func rename(name string) { os.WriteFile("/proc/self/comm", []byte(name), 0) }

// readyByte is what a worker that runs writes; anything else is an error's text.
const readyByte = 1

func (j job) start() error {
	if err := j.Limits.apply(); err != nil {
		return err
	}
	lanes, err := openLanes(os.NewFile(workerLanes, "lanes"), j.First+j.width())
	if err != nil {
		return err
	}
	if j.Command != "" {
		return j.runCommand(lanes.at(j.First))
	}
	w := &worker{job: j}
	if w.kind, err = j.Spec.find(); err != nil {
		return err
	}
	at := j.First
	for _, p := range w.kind.Parts {
		n := p.lanes(len(j.CPUs))
		if err := p.start(w, lanes.slice(at, n)); err != nil {
			return err
		}
		at += n
	}
	return nil
}

// runtimeData is what Go's runtime maps writable, most of it never touched.
const runtimeData = 128 << 20

// apply sets the limits that stand in for a cgroup's. The kernel counts
// RLIMIT_DATA for each process, touched or not, and ignores RLIMIT_NPROC for
// root: what the kinds take is bounded by their shares as well.
func (l *limits) apply() error {
	if l == nil {
		return nil
	}
	for _, r := range []struct {
		resource int
		value    int64
	}{{unix.RLIMIT_DATA, l.Memory + runtimeData}, {unix.RLIMIT_FSIZE, l.Disk}, {unix.RLIMIT_NPROC, int64(l.Pids)}} {
		limit := unix.Rlimit{Cur: uint64(r.value), Max: uint64(r.value)}
		if err := unix.Setrlimit(r.resource, &limit); err != nil {
			return fmt.Errorf("set resource limit %d to %d: %w", r.resource, r.value, err)
		}
	}
	return nil
}

// thread starts a thread of its own that calls step for ever and adds what it
// returns to the lane. A step should last long enough to make the counting
// cheap, and well under a second.
func (w *worker) thread(lane *uint32, step func() int) error {
	return w.open(lane, func() (func() int, error) { return step, nil })
}

// open starts a thread that calls open first, on the thread itself, and returns
// its error.
func (w *worker) open(lane *uint32, open func() (func() int, error)) error {
	// One P for each thread and one for the rest: raw system calls keep theirs.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	opened := make(chan error)
	go func() {
		runtime.LockOSThread()
		step, err := open()
		opened <- err
		if err != nil {
			return
		}
		for {
			atomic.AddUint32(lane, uint32(step()))
		}
	}()
	return <-opened
}

// runCommand runs the job's command again and again. Its process group is the
// worker's; the cgroup ends whatever it leaves behind.
func (j job) runCommand(lane *uint32) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the command dies with this thread
		for first := true; ; first = false {
			cmd := exec.Command("/bin/sh", "-c", j.Command)
			cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
			cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
			err := cmd.Start()
			if first {
				started <- err
			}
			if err == nil {
				err = cmd.Wait()
			}
			if err != nil {
				fmt.Fprintf(os.Stderr, "error: run load command %q: %v\n", j.Command, err)
				os.Exit(1)
			}
			atomic.AddUint32(lane, 1)
			time.Sleep(10 * time.Millisecond) // a command that ends at once must not spin
		}
	}()
	return <-started
}

// threads starts a thread for each lane, the i-th pinned to the i-th CPU of the
// load, with steps that step makes.
func (w *worker) threads(lanes []*uint32, step func(i int) func() int) error {
	for i, lane := range lanes {
		err := w.open(lane, func() (func() int, error) {
			return step(i), pin(w.CPUs[i%len(w.CPUs)])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pin binds the calling thread to a CPU.
func pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("set affinity to cpu %d: %w", cpu, err)
	}
	return nil
}

// loop starts a loop process; see sys.ForkLoop. One thread, which stays, forks
// all those of a worker.
func (w *worker) loop(lane *uint32, calls ...sys.Call) (int, error) {
	if w.forks == nil {
		w.forks = make(chan func())
		go func() {
			runtime.LockOSThread()
			for fork := range w.forks {
				fork()
			}
		}()
	}
	var pid int
	var err error
	done := make(chan struct{})
	w.forks <- func() {
		pid, err = sys.ForkLoop(calls, lane)
		close(done)
	}
	<-done
	switch {
	case errors.Is(err, unix.EAGAIN):
		return 0, remedy.Hint(fmt.Errorf("fork: %w", err), "allow the load more threads and processes or start fewer kinds")
	case err != nil:
		return 0, fmt.Errorf("fork: %w", err)
	}
	return pid, nil
}

// memory maps size bytes for good; shared memory is shared with loop processes.
func memory(size int, shared bool) ([]byte, error) {
	flags := unix.MAP_PRIVATE
	if shared {
		flags = unix.MAP_SHARED
	}
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, flags|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("map %d KiB: %w", size>>10, err)
	}
	return b, nil
}
