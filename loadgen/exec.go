package loadgen

import (
	"fmt"
	"os"

	"worstcase/internal/sys"
)

func execKind() Kind {
	return Kind{
		Name:     "exec",
		Stresses: "program start: fork, exec of /bin/true (or of this binary), exit",
		Counter:  "tracepoint sched/sched_process_exec",
		Parts:    []Part{{Unit: "exec/s", start: startExec}},
	}
}

func startExec(w *worker, lanes []*uint32) error {
	path, args := "/bin/true", []string{"true"}
	if _, err := os.Stat(path); err != nil {
		if path, err = os.Executable(); err != nil {
			return fmt.Errorf("find a program to execute: %w", err)
		}
		args = []string{os.Args[0], markNothing}
	}
	p, err := sys.NewProgram(path, args...)
	if err != nil {
		return err
	}
	if err := p.ForkExec(); err != nil {
		return fmt.Errorf("execute %s: %w", path, err)
	}
	return w.thread(lanes[0], func() int { return worked(p.ForkExec()) })
}
