package switchbench

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"worstcase/internal/sys"
	"worstcase/rtsched"
	"worstcase/sampler"
)

// Loop is what sampler.Main needs to run this package's children.
var Loop = sampler.Loop{
	Name:    "switchbench",
	Columns: []string{"due", "value", "round"},
	New:     newBody,
}

// arguments is what a child gets of a Config.
type arguments struct {
	Mechanism  Mechanism     `json:"mechanism"`
	Measure    Measure       `json:"measure"`
	Period     time.Duration `json:"period_ns"`
	Break      time.Duration `json:"break_ns"`
	Rest       bool          `json:"rest"`
	WorkingSet int           `json:"working_set_bytes"`
	// Private says that all threads are in one process.
	Private bool `json:"private"`
	// First is the number of the child's first thread, Threads and Links count
	// those of all children.
	First   int `json:"first"`
	Threads int `json:"threads"`
	Links   int `json:"links"`
	// Semaphores is a set with one for each link, Rings are the waiter's and the
	// waker's of each link.
	Semaphores int               `json:"semaphores"`
	Rings      []sys.UringParams `json:"rings,omitempty"`
}

func newBody(t *sampler.Thread) (sampler.Body, error) {
	args := new(arguments)
	if err := t.Args(args); err != nil {
		return nil, err
	}
	if !args.Private {
		if err := ownFiles(); err != nil {
			return nil, err
		}
	}
	memory, err := mapOnce(t, (1+args.Links)*part)
	if err != nil {
		return nil, err
	}
	l := &loop{
		thread: t, period: int64(args.Period), limit: int64(args.Break), rest: args.Rest, hops: 1,
		stop: &sys.Words(memory)[wordStop], set: make([]byte, args.WorkingSet),
	}
	if l.limit == 0 {
		l.limit = 1<<63 - 1
	}
	rtsched.Touch(l.set)
	j := &join{arguments: args, memory: memory, files: t.Files[1:]}
	body, err := l.body(j, args.First+t.Index)
	return func(first int64) error {
		l.from = t.Measured()
		return body(first)
	}, err
}

// ownFiles gives the calling thread a table of files of its own, as that of a
// process with one thread: while the Go runtime's threads share it, each read and
// write counts a reference to its file, by an atomic operation and back
// (Documentation/filesystems/files.rst).
func ownFiles() error {
	if err := unix.Unshare(unix.CLONE_FILES); err != nil {
		return fmt.Errorf("give the thread its own table of files: %w", err)
	}
	return nil
}

// mapOnce maps the hub's memory, at one place for all threads of the process: a
// private futex is known by its address.
func mapOnce(t *sampler.Thread, size int) ([]byte, error) {
	if memory, ok := (*t.Common).([]byte); ok {
		return memory, nil
	}
	memory, err := sys.MapSealed(int(t.Files[0].Fd()), size, true)
	if err != nil {
		return nil, err
	}
	rtsched.Touch(memory)
	*t.Common = memory
	return memory, nil
}

// body takes the ends of the links that the member's part needs.
func (l *loop) body(j *join, member int) (body sampler.Body, err error) {
	if j.Measure == HandOver {
		if member == 0 {
			l.out, err = j.newLink(0, true)
			return l.wake, err
		}
		l.in, err = j.newLink(0, false)
		return l.waitPulses, err
	}
	if j.Measure == Ring {
		l.hops = int64(j.Threads)
	}
	if l.out, err = j.newLink(member, true); err != nil {
		return nil, err
	}
	l.in, err = j.newLink((member+j.Threads-1)%j.Threads, false)
	if member == 0 {
		return l.lead, err
	}
	return l.follow, err
}
