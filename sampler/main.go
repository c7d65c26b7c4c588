package sampler

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/remedy"
	"worstcase/internal/sys"
	"worstcase/rtsched"
)

// childArgument is the first argument of a child.
const childArgument = "sampler-child"

// The descriptors that a child inherits.
const (
	fdShared  = 3
	fdControl = 4
	fdReport  = 5
	fdFiles   = 6
)

// Main returns at once in an ordinary process. In a child it runs one of the
// loops and exits. It must be the first line of every main and TestMain.
func Main(loops ...Loop) {
	if len(os.Args) < 2 || os.Args[1] != childArgument {
		return
	}
	c := &child{control: os.NewFile(fdControl, "control"), out: json.NewEncoder(os.NewFile(fdReport, "report"))}
	if err := c.run(loops); err != nil {
		c.fail(err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A child is the process that measures.
type child struct {
	config  config
	args    json.RawMessage
	loop    Loop
	shared  *shared
	control *os.File
	out     *json.Encoder
	files   []*os.File
	common  any
	done    [2]int
	setup   chan setup
	ends    []ThreadEnd
	probes  []*probe
}

// A setup is what a thread reports once it is ready.
type setup struct {
	info ThreadInfo
	err  error
}

func (c *child) fail(err error) {
	c.out.Encode(report{Error: err.Error(), Hint: remedy.Of(err), Unavailable: errors.Is(err, remedy.ErrUnavailable)})
}

func (c *child) run(loops []Loop) error {
	if err := c.begin(loops); err != nil {
		return err
	}
	if err := c.startThreads(); err != nil {
		return err
	}
	m := newMonitor(c.shared, c.config.Parent, fdControl, c.done[0], c.probes, !c.config.GC)
	m.run()
	for i, p := range c.probes {
		c.ends[i].subtract(p.start)
		if p.strayed >= 0 {
			c.ends[i].Error = fmt.Sprintf("the kernel moved the measuring thread from cpu %d to cpu %d: is cpu %d offline, or out of the process's cpuset?", p.cpu, p.strayed, p.cpu)
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return c.out.Encode(report{End: c.ends, RSSPeak: peakRSS(), Mallocs: memory.Mallocs})
}

// begin reads the configuration and makes the process fit to measure.
func (c *child) begin(loops []Loop) error {
	if err := sys.DieWithParent(); err != nil {
		return fmt.Errorf("ask to die with the parent: %w", err)
	}
	line, err := bufio.NewReader(c.control).ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	c.config.Args = &c.args
	if err := json.Unmarshal(line, &c.config); err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if os.Getppid() != c.config.Parent {
		return errors.New("the parent is gone")
	}
	if c.shared, err = openShared(fdShared); err != nil {
		return err
	}
	for i := range c.config.Files {
		c.files = append(c.files, os.NewFile(uintptr(fdFiles+i), "inherited"))
	}
	if c.loop, err = find(loops, c.config.Loop); err != nil {
		return err
	}
	if len(c.loop.Columns) != c.shared.columns {
		return fmt.Errorf("loop %s has %d columns, the ring %d", c.loop.Name, len(c.loop.Columns), c.shared.columns)
	}
	return c.prepareProcess()
}

func find(loops []Loop, name string) (Loop, error) {
	for _, l := range loops {
		if l.Name == name {
			return l, nil
		}
	}
	return Loop{}, fmt.Errorf("this program has no loop %q", name)
}

func (c *child) prepareProcess() error {
	// Setting it once also keeps the runtime from reading the cgroup's limits
	// every second and stopping the world when they change.
	procs := len(c.config.Threads) + 1
	if c.config.GC {
		procs += runtime.NumCPU() // for what the loops' libraries run
	} else {
		debug.SetGCPercent(-1)
	}
	runtime.GOMAXPROCS(procs)
	if c.config.LockMemory {
		if err := rtsched.LockMemory(); err != nil {
			return err
		}
	}
	if c.config.CPULimit > 0 {
		if err := rtsched.LimitCPUTime(time.Duration(c.config.CPULimit)); err != nil {
			return err
		}
	}
	if err := unix.Pipe2(c.done[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("make pipe: %w", err)
	}
	return nil
}

// startThreads makes the threads one after the other and reports them ready.
func (c *child) startThreads() error {
	n := len(c.config.Threads)
	c.setup = make(chan setup)
	c.ends = make([]ThreadEnd, n)
	infos := make([]ThreadInfo, n)
	for i := range n {
		go c.thread(i)
		s := <-c.setup
		if s.err != nil {
			return s.err
		}
		infos[i] = s.info
		words, _, _ := c.shared.ring(i)
		p, err := newProbe(s.info.TID, s.info.CPU, words)
		if err != nil {
			return err
		}
		c.probes = append(c.probes, p)
	}
	return c.out.Encode(report{Ready: infos, Columns: c.loop.Columns})
}

// thread is the life of one measuring thread. It never unlocks, so that the OS
// thread ends with it.
func (c *child) thread(index int) {
	runtime.LockOSThread()
	t := &Thread{
		Index: index, Threads: len(c.config.Threads), Thread: c.config.Threads[index],
		Ring: newRing(c.shared, index), Files: c.files, Common: &c.common, args: c.args, stop: &c.shared.words[wordStop], start: &c.shared.values[valueMeasured],
	}
	body, err := c.loop.New(t)
	if err == nil {
		rtsched.Touch(c.shared.memory)
		err = t.Apply()
	}
	if err != nil {
		c.setup <- setup{err: err}
		return
	}
	// Called before, too, so that reading it at the end faults in nothing. A
	// call with a stack check there would let the scheduler in, which does.
	usage := new(unix.Rusage)
	sys.ThreadUsage(usage)
	c.setup <- setup{info: t.info()}
	for atomic.LoadUint32(&c.shared.words[wordGo]) == 0 {
		if c.config.GC { // which must be able to stop this thread
			sys.FutexWaitManaged(&c.shared.words[wordGo], 0, 1e9)
		} else {
			sys.FutexWait(&c.shared.words[wordGo], 0, 0)
		}
	}
	err = body(c.shared.values[valueFirst])
	sys.ThreadUsage(usage)
	c.ends[index] = threadEnd(usage, t.reason, err)
	if err != nil {
		atomic.StoreUint32(t.stop, 1)
	}
	sys.WriteByte(c.done[1])
}

func (t *Thread) info() ThreadInfo {
	info := ThreadInfo{TID: unix.Gettid(), CPU: t.CPU, Policy: t.Policy.String()}
	if a, err := unix.SchedGetAttr(0, 0); err == nil {
		info.Priority = int(a.Priority)
	}
	return info
}

// threadEnd reports the counters of a thread since it began.
func threadEnd(u *unix.Rusage, reason string, err error) ThreadEnd {
	e := ThreadEnd{
		Reason:      reason,
		MinorFaults: int64(u.Minflt), MajorFaults: int64(u.Majflt),
		Voluntary: int64(u.Nvcsw), Involuntary: int64(u.Nivcsw),
		CPUTime: u.Utime.Nano() + u.Stime.Nano(),
	}
	if err != nil {
		e.Error, e.Hint = err.Error(), remedy.Of(err)
	}
	return e
}

// subtract takes away what happened before the measured start.
func (e *ThreadEnd) subtract(start counters) {
	e.MinorFaults -= start.minor
	e.MajorFaults -= start.major
	e.Voluntary -= start.voluntary
	e.Involuntary -= start.involuntary
}

// peakRSS is VmHWM of proc(5) in bytes.
func peakRSS() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			return digits([]byte(f[1])) * 1024
		}
	}
	return 0
}
