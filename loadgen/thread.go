package loadgen

import "runtime"

func threadKind() Kind {
	return Kind{
		Name:     "thread",
		Stresses: "thread creation: clone within a process, and join",
		Counter:  "/proc/stat processes",
		Parts: []Part{{
			Unit: "thread/s",
			start: func(w *worker, lanes []*uint32) error {
				return w.thread(lanes[0], func() int {
					done := make(chan struct{})
					go func() {
						runtime.LockOSThread() // not unlocked: the thread ends with the goroutine
						close(done)
					}()
					<-done
					return 1
				})
			},
		}},
	}
}
