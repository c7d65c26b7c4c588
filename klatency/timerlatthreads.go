package klatency

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/sampler"
)

// TimerlatLoop is what sampler.Main needs to run timerlat's threads of user
// space. Their samples come from the tracer: they put no rows.
var TimerlatLoop = sampler.Loop{Name: "timerlat", Columns: []string{"due"}, New: newTimerlatBody}

// newTimerlatBody makes the hot loop of timerlat in user space: each read of the
// descriptor sleeps until the timer's next expiry, and begins by telling the
// tracer that the thread is back from user space. Forbidden in it is what is
// forbidden in latency's.
func newTimerlatBody(t *sampler.Thread) (sampler.Body, error) {
	folder, name, b := int(t.Files[0].Fd()), fmt.Sprintf("cpu%d/timerlat_fd", t.CPU), make([]byte, 8)
	return func(int64) error {
		// Only a thread that is on its CPU already may open it.
		fd, err := unix.Openat(folder, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open osnoise/per_cpu/%s: %w", name, err)
		}
		defer unix.Close(fd)
		for !t.Stopped() {
			if errno := sys.ReadPulse(fd, b); errno != 0 && errno != unix.EINTR {
				return fmt.Errorf("read osnoise/per_cpu/%s: %w", name, errno)
			}
		}
		return nil
	}, nil
}

// user tells whether the threads are those of user space.
func (s *Timerlat) user() bool { return slices.Contains(s.cfg.Contexts, ContextUser) }

// startThreads makes threads of user space.
func (s *Timerlat) startThreads(ctx context.Context) error {
	folder, err := os.Open(s.fs.Path("osnoise/per_cpu"))
	if err != nil {
		return err
	}
	defer folder.Close()
	cfg := sampler.Config{Loop: TimerlatLoop.Name, Columns: len(TimerlatLoop.Columns), Period: s.cfg.Period, Files: []*os.File{folder}}
	for _, cpu := range s.cfg.CPUs {
		cfg.Threads = append(cfg.Threads, rtsched.Thread{Name: fmt.Sprintf("timerlatu/%d", cpu), Priority: s.cfg.Priority, CPU: cpu})
	}
	if s.child, err = sampler.Start(ctx, cfg, nil); err != nil {
		return err
	}
	s.threads = s.child.Threads
	return nil
}

// findThreads finds the kernel's threads and gives them their priority.
func (s *Timerlat) findThreads() error {
	s.threads = make([]sampler.ThreadInfo, len(s.cfg.CPUs))
	names, err := os.ReadDir("/proc")
	if err != nil {
		return err
	}
	for _, entry := range names {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
		var cpu int
		if n, _ := fmt.Sscanf(string(comm), "timerlat/%d\n", &cpu); n != 1 {
			continue
		}
		if i := slices.Index(s.cfg.CPUs, cpu); i >= 0 {
			s.threads[i] = sampler.ThreadInfo{TID: pid, CPU: cpu, Policy: "SCHED_FIFO", Priority: s.cfg.Priority}
		}
	}
	for i, t := range s.threads {
		if t.TID == 0 {
			return fmt.Errorf("find the timerlat thread of cpu %d: no such thread", s.cfg.CPUs[i])
		}
		attr := &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(s.cfg.Priority)}
		if err := unix.SchedSetAttr(t.TID, attr, 0); err != nil {
			return fmt.Errorf("give the timerlat thread of cpu %d priority %d: %w", t.CPU, s.cfg.Priority, err)
		}
	}
	return nil
}
